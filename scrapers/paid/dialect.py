"""What differs between commercial providers and platforms: parameters and formats.

Pure functions: targets in, parameters out; responses in, snapshots or ScrapeError out.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from scrapers.comments import CommentPage
from scrapers.discovery import TimelinePage
from scrapers.paid.settings import PaidRoutes
from scrapers.payload import Json
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot

Params = Mapping[str, str]
"""Identifies an account or post to a provider."""


class Dialect(Protocol):
    """How a provider is asked about a platform's accounts and posts, and how it answers."""

    platform: str
    routes: PaidRoutes
    lists_by_user_id: bool
    """Whether an account's posts are requested by its platform id instead of its handle."""
    lists_all_comments: bool
    """Whether comments not listed by the last page are deleted."""

    def profile_params(self, target: AccountTarget) -> Params: ...

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot: ...

    def posts_params(self, target: AccountTarget, cursor: str | None) -> Params:
        """Return the parameters of the page of an account's posts after a cursor."""
        ...

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read a page of an account's posts. Raises ScrapeError if they are another account's."""
        ...

    def post_params(self, target: PostTarget) -> Params: ...

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        """Read a post. Raises ScrapeError if it is another one."""
        ...

    def comments_params(self, target: PostTarget, cursor: str | None) -> Params:
        """Return the parameters of the page of a post's comments after a cursor."""
        ...

    def comment_page(
        self, answer: dict[str, Json], target: PostTarget, cursor: str | None, captured_at: datetime
    ) -> CommentPage:
        """Read the page of a post's comments at `cursor`."""
        ...
