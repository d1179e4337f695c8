"""The interface of a provider of platform data.

Built-in providers read public pages (`scrapers/tiktok`, `scrapers/instagram`) or official APIs
(`scrapers/instagram_graph`). For your own, write a class with this interface and name it in the
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
    """Raise ValueError, naming `what`, for a key that no header can carry."""
    text = key.get_secret_value()
    if not (text and text.isascii() and text.isprintable() and " " not in text):
        raise ValueError(f"the {what} must be ASCII without spaces or control characters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Credentials of an official API. Raises ValueError for a token that no header can carry."""

    user_id: str
    access_token: SecretStr

    def __post_init__(self) -> None:
        require_sendable(self.access_token, "access token")


class Provider(Protocol):
    """Fetches from one platform. Reports every outcome; what it raises ends that fetch alone."""

    platform: str
    name: str

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Read an account's profile into `report.account`."""
        ...

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Page through an account's posts, newest first, back to `since` or to known posts.

        `known` has the platform_video_ids in the registry. Posts older than `since` are left out
        unless known. Also sets `report.account` if the route shows it. It may continue at
        `target.behind`, and set `report.goes_on` for the next fetch; without it that fetch starts
        again.
        """
        ...

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Read one post's counters: `report.videos` has exactly one item if OK."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class ChoosyProvider(Provider, Protocol):
    """A provider of some accounts only. A fallback chain skips it for all others."""

    async def serves(self, target: AccountTarget | PostTarget) -> bool:
        """Return whether it can read this account or post."""
        ...


@runtime_checkable
class ListProvider(Provider, Protocol):
    """A provider whose discovery may use another route than the profile's."""

    def lists_without_profile(self, target: AccountTarget) -> bool:
        """Return whether this account's posts can be listed although its profile was refused."""
        ...


@runtime_checkable
class CountersProvider(Provider, Protocol):
    """A provider that reads up to `posts_a_call` posts per request."""

    posts_a_call: int

    async def counters(self, targets: Sequence[PostTarget]) -> Sequence[ScrapeReport]:
        """Read posts; one report each, as from `post`, in order."""
        ...


@runtime_checkable
class CommentProvider(Provider, Protocol):
    """A provider that also reads comments. Not all do: Meta's official API has none."""

    async def comments(self, target: PostTarget) -> ScrapeReport:
        """Page through a post's comments into `report.crawl`, also those before a failure.

        `report.videos` may have a reading of the post itself.
        """
        ...
