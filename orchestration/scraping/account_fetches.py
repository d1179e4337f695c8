"""The fetches of an account, their order, and when to stop.

The provider does pacing and retries, the crawl lands the results.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from orchestration.scraping.fetches import Fetch, fetch_many, fetch_one
from orchestration.scraping.listing import CutListing, list_posts
from orchestration.scraping.patience import NONE, Patience
from scrapers.fallback import REFUSED
from scrapers.outcomes import Outcome
from scrapers.provider import Clock, CountersProvider, ListProvider, Provider
from scrapers.snapshots import AccountSnapshot, AccountTarget, PostTarget, VideoSnapshot
from warehouse.scrape_jobs.video_targets import VideoToScrape


class Fetcher:
    """Fetches accounts and posts of one platform through its provider."""

    def __init__(self, provider: Provider, clock: Clock, patience: Patience = NONE) -> None:
        self._provider = provider
        self._fetch_one = partial(fetch_one, clock=clock, patience=patience)
        self._fetch_many = partial(fetch_many, clock=clock, patience=patience)

    @property
    def posts_at_once(self) -> int:
        """How many posts one request of the provider can read."""
        provider = self._provider
        return provider.posts_a_call if isinstance(provider, CountersProvider) else 1

    async def profile(
        self, target: AccountTarget, *, job_id: UUID | None = None
    ) -> AsyncIterator[Fetch]:
        yield await self._fetch_profile(target, job_id)

    async def post(self, target: PostTarget, *, job_id: UUID | None = None) -> AsyncIterator[Fetch]:
        yield await self._fetch_post(target, job_id)

    async def posts(self, targets: Sequence[PostTarget]) -> AsyncIterator[Fetch]:
        """Fetch the counters of posts, in one request if the provider can."""
        if isinstance(self._provider, CountersProvider) and len(targets) > 1:
            ask = self._provider.counters
            async for fetch in self._fetch_many("video_stats", targets, ask):
                yield fetch
            return
        for target in targets:
            yield await self._fetch_post(target, None)

    async def account(
        self,
        target: AccountTarget,
        *,
        since: datetime,
        known: Collection[str],
        searched_at: datetime | None = None,
        undated: Collection[str] = (),
        profile_job: UUID | None = None,
        posts_job: UUID | None = None,
        with_profile: bool = True,
        cut: CutListing | None = None,
    ) -> AsyncIterator[Fetch]:
        """Fetch the profile, then the list of posts, then new posts without counters or time.

        Before the `known` posts none is missing, as of `searched_at`. `undated` has known posts
        whose true time no list has shown. A refused profile ends the account fetch, unless the
        posts can be listed by another route. The jobs are those that requested the profile and the
        posts. If no post is known, all are listed, starting where the listing was `cut`.
        """
        if with_profile:
            profile = await self._fetch_profile(target, profile_job)
            yield profile
            if not self._goes_on(profile.report.outcome, target):
                if posts_job is not None:
                    yield _posts_out_of_reach(profile, posts_job)
                return
            target = _with_profile(target, profile.report.account)
        seen: list[VideoSnapshot] = []
        searched_from = searched_at if known else since
        async for fetch in self._fetch_new_posts(target, since, known, posts_job, cut):
            seen += fetch.report.videos
            yield replace(fetch, searched_from=searched_from)
        for video in _left_open(seen, known, undated):
            yield await self._fetch_post(post_target(video), None)

    async def _fetch_new_posts(
        self,
        target: AccountTarget,
        since: datetime,
        known: Collection[str],
        job_id: UUID | None,
        cut: CutListing | None,
    ) -> AsyncIterator[Fetch]:
        """Read the list down to known posts, or to its end if none is known."""

        async def discover(target: AccountTarget, known: Collection[str] = known) -> Fetch:
            ask = partial(self._provider.discover, target, since=since, known=known)
            return await self._fetch_one("discover_videos", target, ask, job_id=job_id)

        if known:
            yield await discover(target)
            return
        listed_ids = set[str]()
        async for fetch in list_posts(discover, target, cut):
            listed_ids.update(video.platform_video_id for video in fetch.report.videos)
            yield fetch
        is_due = {post.platform_video_id for post in target.due or ()} - listed_ids
        if cut and is_due and fetch.report.reached_known:  # their pages are before the cut
            newest = await discover(target, cut.posts | listed_ids)
            yield replace(newest, report=replace(newest.report, reached_known=False))

    def _goes_on(self, outcome: Outcome, target: AccountTarget) -> bool:
        """Return whether to fetch the posts after this outcome of the profile."""
        if outcome is Outcome.OK:
            return True
        provider = self._provider
        can_list = isinstance(provider, ListProvider) and provider.lists_without_profile(target)
        return can_list and outcome in REFUSED

    async def _fetch_profile(self, target: AccountTarget, job_id: UUID | None) -> Fetch:
        ask = partial(self._provider.profile, target)
        return await self._fetch_one("creator_profiles", target, ask, job_id=job_id)

    async def _fetch_post(self, target: PostTarget, job_id: UUID | None) -> Fetch:
        ask = partial(self._provider.post, target)
        return await self._fetch_one("video_stats", target, ask, job_id=job_id)


def _left_open(
    videos: Collection[VideoSnapshot], known: Collection[str], undated: Collection[str]
) -> Iterator[VideoSnapshot]:
    """Yield each post once if all of its readings need a fetch of the post itself.

    A post of several authors is listed once for each, and both providers may list a post when one
    takes over from the other.
    """
    readings = defaultdict(list)
    for video in videos:
        readings[video.platform_video_id].append(video)
    for snapshots in readings.values():
        if all(_wants_a_fetch(video, known, undated) for video in snapshots):
            yield snapshots[-1]


def _wants_a_fetch(video: VideoSnapshot, known: Collection[str], undated: Collection[str]) -> bool:
    """Return whether a list lacks something that only the post's own page shows.

    Pay depends on the publication time, and an estimate may be hours off. The true time is
    therefore fetched before anything is computed from it.
    """
    is_new = video.platform_video_id not in known
    is_dated = video.posted_at is not None and not video.posted_at_is_estimate
    if is_new and not video.is_counted:
        return True
    return not is_dated and (is_new or video.platform_video_id in undated)


def _posts_out_of_reach(profile: Fetch, posts_job: UUID) -> Fetch:
    """Return a discovery that ended with the outcome of the profile."""
    return replace(
        profile,
        job_type="discover_videos",
        job_id=posts_job,
        report=replace(profile.report, account=None),
    )


def _with_profile(target: AccountTarget, seen: AccountSnapshot | None) -> AccountTarget:
    """Return the target with the platform's ids and number of posts, which some routes need."""
    if seen is None:
        return target
    return replace(
        target,
        platform_user_id=seen.platform_user_id or target.platform_user_id,
        platform_alt_id=seen.platform_alt_id or target.platform_alt_id,
        video_count=seen.video_count,
    )


def post_target(video: VideoSnapshot | VideoToScrape) -> PostTarget:
    was_read, has_views = (
        (video.read_at is not None, video.has_views)
        if isinstance(video, VideoToScrape)
        else (True, video.media_type == "video")
    )
    return PostTarget(
        platform=video.platform,
        platform_video_id=video.platform_video_id,
        handle=video.handle,
        platform_user_id=video.platform_user_id,
        was_read=was_read,
        has_views=has_views,
    )
