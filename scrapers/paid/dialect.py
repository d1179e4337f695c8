"""What differs from one commercial provider and platform to the next: parameters and shapes.

Pure: targets in, parameters out; answers in, snapshots or ScrapeError out.
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
"""What names an account or post to a provider that answers at once."""


@dataclass(frozen=True, slots=True)
class RunTargets:
    """What a run is to collect: targets, and how many results each may have."""

    targets: tuple[str, ...]
    results: int = 1

    @property
    def most(self) -> int:
        """How many results there may be."""
        return len(self.targets) * self.results


Params_co = TypeVar("Params_co", covariant=True)


class Dialect(Protocol[Params_co]):
    """How a provider is asked about a platform's accounts and posts, and how it answers."""

    platform: str
    routes: PaidRoutes
    lists_by_user_id: bool
    """Whether an account's posts are asked for by its id on the platform, not by its handle."""

    def profile_params(self, target: AccountTarget) -> Params_co:
        """Return what names an account."""
        ...

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read a profile."""
        ...

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params_co:
        """Return what names the page of an account's posts behind a cursor."""
        ...

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of an account's posts. Raises ScrapeError where they are another's."""
        ...

    def post_params(self, target: PostTarget) -> Params_co:
        """Return what names a post."""
        ...

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        """Read a post. Raises ScrapeError where it is another one."""
        ...


class RunDialect(Dialect[RunTargets], Protocol):
    """How a provider is asked that collects for a while, and about many posts at once."""

    def many_posts_params(self, targets: Collection[PostTarget]) -> RunTargets:
        """Return what names several posts."""
        ...


class CommentDialect(Dialect[Params], Protocol):
    """How a provider is asked for comments too."""

    lists_all_comments: bool
    """Whether the last page means that comments which were not shown are gone."""

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        """Return what names the page of a post's comments behind a cursor."""
        ...

    def comment_page(
        self,
        answer: dict[str, Json],
        target: PostTarget,
        cursor: str | None,
        captured_at: datetime,
    ) -> CommentPage:
        """Read the page of a post's comments that was asked for at `cursor`."""
        ...
