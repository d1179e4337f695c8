"""Items of a run: how dialects read them, which are errors, and whether more may follow.

A subclass of the dialect defines how to name an account, and the paths of fields.
"""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar

from scrapers import payload
from scrapers.discovery import TimelinePage
from scrapers.findings import ListedPost
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import Refused
from scrapers.paid.dialect import RunTargets
from scrapers.paid.fields import Fields, read_account, read_instagram_post, read_tiktok_post
from scrapers.paid.identity import own_posts, require_post
from scrapers.paid.settings import ItemErrors, PaidRoutes, Runs
from scrapers.payload import Json, flag_at, text_at
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from scrapers.urls import instagram
from scrapers.urls.any_platform import parse_post_url
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


_LONGEST_WORDS = 200


def items_of(answer: dict[str, Json]) -> list[Json]:
    """Return the items in a response that a run's client assembled, without errors."""
    return payload.items_at(answer, "items")


def is_error(item: Json, errors: ItemErrors) -> bool:
    return any(_words(item, errors))


def refused_in(
    items: Collection[Json], errors: ItemErrors, *, if_missing: Outcome
) -> tuple[Refused, ...]:
    """Return the errors among items, without those that only mean an empty result.

    `if_missing` is the meaning of a missing account, or of whatever was requested.
    """
    refused = []
    for item in items:
        post_id = _post_in(item, errors)
        missing = Outcome.POST_UNAVAILABLE if post_id else if_missing
        if error := _error(item, errors, missing):
            refused.append(Refused(post_id, error))
    return tuple(refused)


def depth(cursor: str | None, runs: Runs) -> int:
    """Return how many posts the page at a cursor requests: each page requests more."""
    return int(cursor) if cursor else runs.depths[0]


def cursor_behind(answer: dict[str, Json], runs: Runs, video_count: int | None) -> str | None:
    """Return the cursor of the next page, None at the end.

    The end is the last of the depths, or fewer items than requested. If the profile has more posts
    than came (`video_count`), fewer items are not the end: a deeper run may have the rest.
    """
    requested, came = payload.number_at(answer, "wanted") or 0, len(items_of(answer))
    if came < requested and (video_count is None or came >= video_count):
        return None
    deeper = next((depth for depth in runs.depths if depth > requested), None)
    return None if deeper is None else str(deeper)


def _words(item: Json, errors: ItemErrors) -> list[str]:
    return [words for path in errors.words if (words := text_at(item, path))]


def _error(item: Json, errors: ItemErrors, if_missing: Outcome) -> ScrapeError | None:
    words = " / ".join(_words(item, errors))
    if not words:
        return None
    meaning = next(
        (
            known_error.outcome
            for known_error in errors.known
            if known_error.says.casefold() in words.casefold()
        ),
        Outcome.SCHEMA_CHANGED,
    )
    if meaning is Outcome.OK:
        return None
    outcome = if_missing if meaning is Outcome.NOT_FOUND else meaning
    return ScrapeError(
        outcome,
        f"the provider's error {words[:_LONGEST_WORDS]!r}",
        raw_sample=payload.sample_of(item),
    )


def _post_in(item: Json, errors: ItemErrors) -> str | None:
    links = (parse_post_url(text_at(item, path) or "") for path in errors.urls)
    return next((link.platform_video_id for link in links if link), None)
