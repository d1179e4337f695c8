"""What differs between commercial providers and platforms: parameters and formats.

Pure functions: targets in, parameters out; responses in, snapshots or ScrapeError out.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from scrapers.comments import CommentPage
from scrapers.discovery import TimelinePage
from scrapers.paid.settings import PaidRoutes
from scrapers.payload import Json
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot

Params = Mapping[str, str]
"""Identifies an account or post to a provider that answers at once."""


@dataclass(frozen=True, slots=True)
class RunTargets:
    """Targets of a run, and the maximum number of results for each."""

    targets: tuple[str, ...]
    results: int = 1

    @property
    def most(self) -> int:
        return len(self.targets) * self.results


Params_co = TypeVar("Params_co", covariant=True)


class Dialect(Protocol[Params_co]):
    """How a provider is asked about a platform's accounts and posts, and how it answers."""

    platform: str
    routes: PaidRoutes
    lists_by_user_id: bool
    """Whether an account's posts are requested by its platform id instead of its handle."""

    def profile_params(self, target: AccountTarget) -> Params_co: ...

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot: ...

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params_co:
        """Return the parameters of the page of an account's posts after a cursor."""
        ...

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of an account's posts. Raises ScrapeError if they are another account's."""
        ...

    def post_params(self, target: PostTarget) -> Params_co: ...

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        """Read a post. Raises ScrapeError if it is another one."""
        ...


class RunDialect(Dialect[RunTargets], Protocol):
    """Dialect of a provider that runs for a while, also for many posts at once."""

    def many_posts_params(self, targets: Collection[PostTarget]) -> RunTargets: ...


class CommentDialect(Dialect[Params], Protocol):
    """Dialect of a provider that also has comments."""

    lists_all_comments: bool
    """Whether comments not listed by the last page are deleted."""

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        """Return the parameters of the page of a post's comments after a cursor."""
        ...

    def comment_page(
        self, answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
    ) -> CommentPage:
        """Read the page of a post's comments at `cursor`."""
        ...
