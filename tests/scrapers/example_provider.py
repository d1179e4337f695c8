"""A complete custom provider that reads a JSON lines export of another tool.

To replace TikTok's web provider, name it in the settings:

    TRACKER_TIKTOK_PROVIDER=tests.scrapers.example_provider:ExportProvider
    TIKTOK_EXPORT=/var/exports/tiktok.jsonl

Each line is a reading of an account or a post. Later lines replace earlier ones:

    {"kind": "account", "id": "687", "handle": "demo.creator", "read_at": "2026-09-08T06:00:00Z",
     "followers": 1203417}
    {"kind": "post", "id": "768", "handle": "demo.creator", "read_at": "2026-09-08T06:00:00Z",
     "posted_at": "2026-09-07T16:53:20Z", "views": 88041, "likes": 9102}
"""

import os
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, Field, RootModel, ValidationError

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.provider import Clock
from scrapers.reports import failed
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)
from scrapers.transport.pacing import Pace

SOURCE = "export"
Count = Annotated[int | None, Field(ge=0)]


class AccountLine(BaseModel):
    """A reading of an account; unknown counts are left out."""

    kind: Literal["account"]
    id: str
    handle: str
    read_at: AwareDatetime
    followers: Count = None


class PostLine(BaseModel):
    """A reading of a post; unknown counts are left out."""

    kind: Literal["post"]
    id: str
    handle: str
    read_at: AwareDatetime
    posted_at: AwareDatetime
    views: Count = None
    likes: Count = None


class Line(RootModel[Annotated[AccountLine | PostLine, Field(discriminator="kind")]]):
    """A line of the export."""


class ExportProvider:
    """Reads accounts and posts from the export. Failures are reports, never exceptions."""

    platform = "tiktok"
    name = "export"

    def __init__(self, *, base_url: str, pace: Pace, clock: Clock) -> None:
        """Accept the arguments that all providers receive; a file needs no URL or pace."""
        self._path = Path(os.environ["TIKTOK_EXPORT"])

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        """Report the account's reading."""
        try:
            account = self._account(target.handle)
        except ScrapeError as error:
            return failed(error, SOURCE)
        return ScrapeReport(outcome=Outcome.OK, source=SOURCE, account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        """Report the account's posts that are recent or known. A file has no gaps."""
        try:
            account, posts = self._account(target.handle), self._posts()
        except ScrapeError as error:
            return failed(error, SOURCE)
        own = [post for post in posts.values() if post.handle == target.handle]
        in_range = [post for post in own if post.posted_at >= since or post.id in known]
        return ScrapeReport(
            outcome=Outcome.OK,
            source=SOURCE,
            account=account,
            videos=tuple(_video(post) for post in in_range),
            reached_known=True,
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        """Report the post's reading."""
        try:
            post = self._posts().get(target.platform_video_id)
        except ScrapeError as error:
            return failed(error, SOURCE)
        if post is None:
            missing = ScrapeError(Outcome.POST_UNAVAILABLE, "not in the export")
            return failed(missing, SOURCE)
        return ScrapeReport(outcome=Outcome.OK, source=SOURCE, videos=(_video(post),))

    async def aclose(self) -> None:
        """Release nothing: the file is open only while it is read."""

    def _account(self, handle: str) -> AccountSnapshot:
        accounts = [line for line in self._lines() if isinstance(line, AccountLine)]
        matches = [line for line in accounts if line.handle == handle]
        if not matches:
            raise ScrapeError(Outcome.NOT_FOUND, "not in the export")
        return _account(matches[-1])

    def _posts(self) -> dict[str, PostLine]:
        return {line.id: line for line in self._lines() if isinstance(line, PostLine)}

    def _lines(self) -> list[AccountLine | PostLine]:
        """Read the export. Raises ScrapeError if the file is missing or a line is invalid."""
        try:
            texts = self._path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise ScrapeError(Outcome.UNREACHABLE, f"no export: {error.strerror}") from error
        return [_line(number, text) for number, text in enumerate(texts, 1) if text.strip()]


def _line(number: int, text: str) -> AccountLine | PostLine:
    try:
        return Line.model_validate_json(text).root
    except ValidationError as error:
        detail = f"line {number} of the export is no reading"
        raise ScrapeError(Outcome.SCHEMA_CHANGED, detail, raw_sample=text) from error


def _account(line: AccountLine) -> AccountSnapshot:
    return AccountSnapshot(
        platform=ExportProvider.platform,
        handle=line.handle,
        observed_handle=line.handle,
        platform_user_id=line.id,
        platform_alt_id=None,
        display_name=None,
        biography=None,
        bio_link=None,
        avatar_url=None,
        is_private=None,
        is_verified=None,
        follower_count=line.followers,
        following_count=None,
        total_likes_count=None,
        video_count=None,
        is_exact=True,
        source=SOURCE,
        captured_at=line.read_at.astimezone(UTC),
    )


def _video(line: PostLine) -> VideoSnapshot:
    return VideoSnapshot(
        platform=ExportProvider.platform,
        platform_video_id=line.id,
        platform_user_id=None,
        handle=line.handle,
        url=f"https://www.tiktok.com/@{line.handle}/video/{line.id}",
        caption=None,
        media_type=None,
        duration_seconds=None,
        thumbnail_url=None,
        posted_at=line.posted_at.astimezone(UTC),
        posted_at_is_estimate=False,
        view_count=line.views,
        like_count=line.likes,
        comment_count=None,
        share_count=None,
        save_count=None,
        is_exact=True,
        source=SOURCE,
        captured_at=line.read_at.astimezone(UTC),
    )
