"""Common parts of the dialects of providers with runs: each result is an item.

A subclass defines how to name an account, and the paths of fields.
"""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar

from scrapers import payload
from scrapers.discovery import TimelinePage
from scrapers.findings import ListedPost
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.dialect import RunTargets
from scrapers.paid.fields import Fields, read_account, read_instagram_post, read_tiktok_post
from scrapers.paid.identity import own_posts, require_post
from scrapers.paid.items import cursor_behind, depth, items_of
from scrapers.paid.run_settings import Runs
from scrapers.paid.settings import PaidRoutes
from scrapers.payload import Json, flag_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls import instagram
from scrapers.urls.sites import SITES


class ItemDialect:
    """Dialect of a provider with runs for one platform."""

    platform: str
    routes: PaidRoutes
    lists_by_user_id = False
    profiles_by_url = True
    lists_by_url = True
    is_exact = True
    """Whether counts (followers, and all of TikTok's) are exact, not rounded."""

    account_fields: ClassVar[Fields]
    post_fields: ClassVar[Fields]
    pinned_at: str = "isPinned"
    """Path of the flag for posts pinned to the top of the list."""

    def read_video(self, item: Json, captured_at: datetime) -> VideoSnapshot:
        """Read a post. Raises ScrapeError."""
        if self.platform == instagram.PLATFORM:
            return read_instagram_post(item, self.post_fields, captured_at)
        return read_tiktok_post(item, self.post_fields, captured_at, is_exact=self.is_exact)

    def profile_params(self, target: AccountTarget) -> RunTargets:
        return RunTargets((self._name_of(target, by_url=self.profiles_by_url),))

    def account(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> AccountSnapshot:
        """Read the profile of the only requested account."""
        item = _require_items(answer)[0]
        return read_account(item, self.account_fields, target, captured_at, is_exact=self.is_exact)

    def posts_params(self, target: AccountTarget, cursor: str | None) -> RunTargets:
        """Return an account, and how many of its posts to request."""
        name = self._name_of(target, by_url=self.lists_by_url)
        return RunTargets((name,), depth(cursor, self._runs))

    def page(
        self, answer: dict[str, Json], target: AccountTarget, captured_at: datetime
    ) -> TimelinePage:
        """Read an account's newest posts, without others' posts shared with it."""
        posts = [
            ListedPost(self.read_video(item, captured_at), flag_at(item, self.pinned_at) is True)
            for item in items_of(answer)
        ]
        cursor = cursor_behind(answer, self._runs, target.video_count)
        return TimelinePage(own_posts(target, posts, answer), cursor)

    def post_params(self, target: PostTarget) -> RunTargets:
        return self.many_posts_params([target])

    def many_posts_params(self, targets: Collection[PostTarget]) -> RunTargets:
        post_url = SITES[self.platform].post_url
        return RunTargets(tuple(post_url(t.platform_video_id, t.handle, "post") for t in targets))

    def video(
        self, answer: dict[str, Json], target: PostTarget, captured_at: datetime
    ) -> VideoSnapshot:
        """Read a post, possibly among others of the same request."""
        post_id, unread = target.platform_video_id, None
        for item in _require_items(answer):
            try:
                video = self.read_video(item, captured_at)
            except ScrapeError as error:
                unread = unread or error
                continue
            if video.platform_video_id == post_id:
                require_post(target, video, item)
                return video
        raise unread or payload.schema_changed(f"asked for {post_id}, got others", answer)

    def _name_of(self, target: AccountTarget, *, by_url: bool) -> str:
        return SITES[self.platform].profile_url(target.handle) if by_url else target.handle

    @property
    def _runs(self) -> Runs:
        return self.routes.require_runs()


def _require_items(answer: dict[str, Json]) -> list[Json]:
    """Return the items. Raises ScrapeError if there are none, not even errors."""
    items = items_of(answer)
    if not items:
        raise ScrapeError(Outcome.BLOCKED_SILENT, "the run found nothing and gave no reason")
    return items
