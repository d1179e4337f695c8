"""What a provider of platform data offers.

The built-in ones read public pages (`scrapers/tiktok`, `scrapers/instagram`) or ask an official API
(`scrapers/instagram_graph`). Bring your own by writing a class with this shape and naming it in the
settings: see docs/guides/scrape.md.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from pydantic import SecretStr

from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport

Clock = Callable[[], datetime]


def require_sendable(key: SecretStr, what: str) -> None:
    """Raise ValueError, which says `what` it is, for a key that no header can carry."""
    text = key.get_secret_value()
    if not (text and text.isascii() and text.isprintable() and " " not in text):
        raise ValueError(f"the {what} holds blanks or letters that none has")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Who asks an official API. Raises ValueError for a token that no header can carry."""

    user_id: str
    access_token: SecretStr

    def __post_init__(self) -> None:
        require_sendable(self.access_token, "access token")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCredentials:
    """An application that asks an official API in its own name."""

    client_key: str
    client_secret: SecretStr


class Provider(Protocol):
    """Fetches of one platform. Reports every ending as an outcome; raises only for its own bugs."""

    platform: str
    name: str

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read the profile of an account: `report.account`."""
        ...

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts, newest first, back to `since` or to known posts.

        `known` holds the platform_video_ids already in the registry. Posts older than `since`
        are left out unless known. Also fills `report.account` where the route shows it. It may go
        on at `target.behind`, and tell by `report.goes_on` where the next can: else that begins
        anew.
        """
        ...

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post's counters: `report.videos` has exactly one item when OK."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


@runtime_checkable
class ChoosyProvider(Provider, Protocol):
    """A provider of some accounts only. In a chain the next is asked about all others at once."""

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        """Tell whether it can be asked about this account or post."""
        ...


@runtime_checkable
class ListProvider(Provider, Protocol):
    """A provider whose discovery may go by another route than the profile's."""

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Tell whether this account's posts can be asked for although its profile was refused."""
        ...


@runtime_checkable
class CountersProvider(Provider, Protocol):
    """A provider that reads many posts for one request, `posts_a_call` at most."""

    posts_a_call: int

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read posts: a report for each as `post` would give it, in their order."""
        ...


@runtime_checkable
class CommentProvider(Provider, Protocol):
    """A provider that can read comments too. Not all can: Meta's official API shows none."""

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments: `report.crawl`, with what was seen before a failure too.

        `report.videos` may hold a reading of the post itself, where one was taken on the way.
        """
        ...
