"""A custom provider and the reports that it returns."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from scrapers.outcomes import Outcome
from scrapers.snapshots import (
    AccountSnapshot,
    AccountTarget,
    PostTarget,
    ScrapeReport,
    VideoSnapshot,
)

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DEMO = AccountTarget(platform="tiktok", handle="demo")
PROFILE = AccountSnapshot(
    platform="tiktok",
    handle="demo",
    observed_handle="demo",
    platform_user_id="7",
    platform_alt_id="MS4wLjAB",
    display_name=None,
    biography=None,
    bio_link=None,
    avatar_url=None,
    is_private=False,
    is_verified=None,
    follower_count=100,
    following_count=None,
    total_likes_count=None,
    video_count=None,
    is_exact=True,
    source="own",
    captured_at=NOON,
)
COUNTED = VideoSnapshot(
    platform="tiktok",
    platform_video_id="1",
    platform_user_id="7",
    handle="demo",
    url="https://www.tiktok.com/@demo/video/1",
    caption=None,
    media_type=None,
    duration_seconds=None,
    thumbnail_url=None,
    posted_at=NOON,
    posted_at_is_estimate=False,
    view_count=10,
    like_count=None,
    comment_count=None,
    share_count=None,
    save_count=None,
    is_exact=True,
    source="own",
    captured_at=NOON,
)
UNCOUNTED = replace(COUNTED, platform_video_id="2", view_count=None)
KNOWN_UNCOUNTED = replace(UNCOUNTED, platform_video_id="3")


@dataclass
class OwnProvider:
    """Answers with fixed reports and records the requested targets."""

    profile_ends: Outcome = Outcome.OK
    posts: tuple[VideoSnapshot, ...] = ()
    targets: list[AccountTarget | PostTarget] = field(default_factory=list)
    platform: str = "tiktok"
    name: str = "own"

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        self.targets.append(target)
        account = PROFILE if self.profile_ends is Outcome.OK else None
        return ScrapeReport(outcome=self.profile_ends, source="own", account=account)

    async def discover(
        self, target: AccountTarget, *, since: datetime, known: Collection[str]
    ) -> ScrapeReport:
        self.targets.append(target)
        return ScrapeReport(
            outcome=Outcome.RATE_LIMITED, source="own", detail="later", videos=self.posts
        )

    async def post(self, target: PostTarget) -> ScrapeReport:
        self.targets.append(target)
        return ScrapeReport(outcome=Outcome.OK, source="own", videos=(COUNTED,))

    async def aclose(self) -> None: ...
