"""What an account fetch consists of: which fetches, in which order, and when it is better to leave.

Pure sequence: pacing and retries are the provider's, landing is the crawl's.
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


class Fetcher:
    """Fetches accounts and posts of one platform through its provider."""

    def __init__(self, provider: Provider, clock: Clock, patience: Patience = NONE) -> None:
        self._provider = provider
        self._fetch_one = partial(fetch_one, clock=clock, patience=patience)
        self._fetch_many = partial(fetch_many, clock=clock, patience=patience)

    @property
    def posts_at_once(self) -> int:
        """How many posts an account fetch should have: those that one request reads."""
        provider = self._provider
        return provider.posts_a_call if isinstance(provider, CountersProvider) else 1

    async def profile(
        self, target: AccountTarget, *, job_id: UUID | None = None
    ) -> AsyncIterator[Fetch]:
        """Fetch a profile alone."""
        yield await self._fetch_profile(target, job_id)

    async def post(self, target: PostTarget, *, job_id: UUID | None = None) -> AsyncIterator[Fetch]:
        """Fetch one post's counters."""
        yield await self._fetch_post(target, job_id)

    async def posts(
        self, targets: Sequence[PostTarget], *, job_id: UUID | None = None
    ) -> AsyncIterator[Fetch]:
        """Fetch the counters of some posts, together where the provider can."""
        if isinstance(self._provider, CountersProvider) and len(targets) > 1:
            ask = self._provider.counters
            async for fetch in self._fetch_many("video_stats", targets, ask, job_id=job_id):
                yield fetch
            return
        for target in targets:
            yield await self._fetch_post(target, job_id)

    async def account(
        self,
        target: AccountTarget,
        *,
        since: datetime,
        known: Collection[str],
        undated: Collection[str] = (),
        profile_job: UUID | None = None,
        posts_job: UUID | None = None,
        with_profile: bool = True,
        cut: CutListing | None = None,
    ) -> AsyncIterator[Fetch]:
        """Fetch the profile, then the list of posts, then new posts without counters or time.

        `undated` are the known posts whose true time was not shown so far. A refused profile ends
        the account fetch, unless the posts can be listed by another route. The jobs are those that
        asked for the profile and for the posts. Where no post is known all are listed, from where
        that was `cut`.
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
        async for fetch in self._fetch_new_posts(target, since, known, posts_job, cut):
            seen += fetch.report.videos
            yield fetch
        for video in _left_open(seen, known, undated):
            yield await self._fetch_post(_post(video), None)

    async def _fetch_new_posts(
        self,
        target: AccountTarget,
        since: datetime,
        known: Collection[str],
        job_id: UUID | None,
        cut: CutListing | None,
    ) -> AsyncIterator[Fetch]:
        """Check for new posts in front of known ones, or list all where none is known."""

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
        if cut and is_due and fetch.report.reached_known:  # they are on the pages before the cut
            newest = await discover(target, cut.posts | listed_ids)
            yield replace(newest, report=replace(newest.report, reached_known=False))

    def _goes_on(self, outcome: Outcome, target: AccountTarget) -> bool:
        """Tell whether the posts are worth asking for after the profile's look ended so."""
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
    """Yield each post once that needs a fetch by every one of its readings.

    A post of several authors is shown once for each; where one provider takes over from another,
    both may have shown it.
    """
    readings = defaultdict(list)
    for video in videos:
        readings[video.platform_video_id].append(video)
    for snapshots in readings.values():
        if all(_wants_a_fetch(video, known, undated) for video in snapshots):
            yield snapshots[-1]


def _wants_a_fetch(video: VideoSnapshot, known: Collection[str], undated: Collection[str]) -> bool:
    """Tell whether a list leaves open what only the post's own page shows.

    Money depends on when a post was published, and an estimate may be hours off: the true time is
    asked for before anything is computed from it.
    """
    is_new = video.platform_video_id not in known
    is_dated = video.posted_at is not None and not video.posted_at_is_estimate
    if is_new and not video.is_counted:
        return True
    return not is_dated and (is_new or video.platform_video_id in undated)


def _posts_out_of_reach(profile: Fetch, posts_job: UUID) -> Fetch:
    """Return how a discovery ended that the profile's ending made pointless."""
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


def _post(video: VideoSnapshot) -> PostTarget:
    return PostTarget(
        platform=video.platform,
        platform_video_id=video.platform_video_id,
        handle=video.handle,
        platform_user_id=video.platform_user_id,
    )
