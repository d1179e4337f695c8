"""Accounts that creators connected, on real HTTP against platforms written without this client."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest
from pydantic import SecretStr

from scrapers.consent.login import Login, Proof
from scrapers.consent.registry import logins_of
from scrapers.consent.tokens import ConsentEndedError, Grant, Token
from scrapers.instagram_login.provider import InstagramLoginProvider
from scrapers.outcomes import Outcome
from scrapers.provider import ChoosyProvider
from scrapers.simulator import (
    AccountType,
    Fault,
    FaultKind,
    Kind,
    RunningSimulator,
    TruePost,
)
from scrapers.snapshots import AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok_display.provider import DisplayProvider
from scrapers.transport.pacing import Pace
from tests.fixtures.creators import login_settings
from tests.fixtures.simulated import NOW

pytestmark = pytest.mark.usefixtures("without_backoff")

SINCE = NOW - timedelta(days=40)
BACK = "http://127.0.0.1:1/back"
VERIFIER = "a verifier"


class KeptTokens:
    """Tokens in memory, renewed at the platform."""

    def __init__(self, login: Login) -> None:
        self.login = login
        self.kept: dict[str, tuple[Grant, Token]] = {}
        self.renewals = 0
        self.refused: list[str] = []

    def connect(self, handle: str) -> None:
        """Let the creator of a handle allow everything."""
        address = self.login.address(state="s", verifier=VERIFIER, redirect_uri=BACK)
        parameters = {
            name: parameter for name, [parameter] in parse_qs(urlsplit(address).query).items()
        }
        decide = address.partition("?")[0].replace("authorize/", "decide")
        decide = decide.replace("authorize", "decide")
        sent = httpx.get(
            decide, params={**parameters, "handle": handle, "decision": "allow"}, trust_env=False
        )
        code = parse_qs(urlsplit(sent.headers["Location"]).query)["code"][0]
        grant = self.login.exchange(Proof(code=code, verifier=VERIFIER, redirect_uri=BACK))
        person = self.login.who(grant)
        assert person.handle == handle
        self._keep(handle, grant, uuid4(), person.subject)

    async def has(self, handle: str, _user_id: str | None) -> bool:
        return handle in self.kept

    async def of(self, handle: str, _user_id: str | None) -> Token | None:
        return self.kept[handle][1] if handle in self.kept else None

    async def renewed(self, token: Token) -> Token:
        [handle] = [name for name, (_, saved) in self.kept.items() if saved == token]
        self.renewals += 1
        grant = self.login.renew(self.kept[handle][0])
        return self._keep(handle, grant, token.connection_id, token.subject)

    async def note_refusal(self, token: Token) -> None:
        self.refused.append(token.subject)

    async def note_success(self, token: Token) -> None:
        raise AssertionError("no token was refused before")

    def _keep(self, handle: str, grant: Grant, connection_id: UUID, subject: str) -> Token:
        token = Token(connection_id=connection_id, subject=subject, access=grant.access_token)
        self.kept[handle] = grant, token
        return token


def tokens_of(simulator: RunningSimulator, platform: str) -> KeptTokens:
    """Tokens of an app at the platform, of which no creator has allowed anything yet."""
    app = {
        f"{name}_login_client_{part}": made
        for name in ("tiktok", "instagram")
        for part, made in (("id", "app"), ("secret", SecretStr("secret-of-app")))
    }
    return KeptTokens(logins_of({**login_settings(simulator), **app})[platform])


@pytest.fixture
def tokens(simulator: RunningSimulator, platform: str) -> KeptTokens:
    return tokens_of(simulator, platform)


@pytest.fixture
async def provider(
    simulator: RunningSimulator, tokens: KeptTokens, platform: str, fake_time: Any
) -> AsyncIterator[ChoosyProvider]:
    made: dict[str, Any] = {
        "pace": Pace(4, 10_000.0),
        "clock": lambda: NOW,
        "tokens": tokens,
        "sleep": fake_time.sleep,
    }
    built: ChoosyProvider
    if platform == "tiktok":
        built = DisplayProvider(base_url=simulator.tiktok_login_url, **made)
    else:
        built = InstagramLoginProvider(base_url=simulator.instagram_login_url, **made)
    yield built
    await built.aclose()


@pytest.fixture
def handle(simulator: RunningSimulator, platform: str) -> str:
    """A professional with more posts than fit on two pages, some of them old."""
    world = simulator.world
    profiles = (world.profile(platform, handle, NOW) for handle in world.handles(platform, at=NOW))
    return next(
        profile.handle
        for profile in profiles
        if profile
        and profile.kind is Kind.PLAIN
        and profile.video_count > 45
        and (platform == "tiktok" or profile.account_type is not AccountType.PERSONAL)
    )


def target_of(simulator: RunningSimulator, platform: str, handle: str) -> AccountTarget:
    true = simulator.world.profile(platform, handle, NOW)
    return AccountTarget(
        platform=platform,
        handle=handle,
        platform_user_id=true.platform_user_id,
        platform_alt_id=true.platform_alt_id,
    )


def counts(post: VideoSnapshot | TruePost, platform: str) -> tuple[Any, ...]:
    """What is read of a post; saves, which its creator alone can see, are not."""
    saves = post.save_count if isinstance(post, VideoSnapshot) else None
    likes = None if getattr(post, "likes_hidden", False) else post.like_count
    if platform == "tiktok":
        likes = post.like_count
    return post.view_count, likes, post.comment_count, post.share_count, saves


class TestReading:
    async def test_a_profile_has_the_true_counts(
        self, simulator: RunningSimulator, provider: Any, tokens: KeptTokens, handle: str
    ) -> None:
        tokens.connect(handle)
        report = await provider.profile(target_of(simulator, provider.platform, handle))
        true = simulator.world.profile(provider.platform, handle, NOW)
        seen = report.account
        assert (report.outcome, seen.observed_handle) == (Outcome.OK, handle)
        assert seen.is_exact
        assert (seen.follower_count, seen.following_count, seen.video_count) == (
            true.follower_count,
            true.following_count,
            true.video_count,
        )

    async def test_all_posts_since_the_start_have_the_true_counts_and_times(
        self, simulator: RunningSimulator, provider: Any, tokens: KeptTokens, handle: str
    ) -> None:
        tokens.connect(handle)
        target = target_of(simulator, provider.platform, handle)
        report = await provider.discover(target, since=SINCE, known=())
        posts = simulator.world.posts(provider.platform, handle, NOW)
        true = {post.platform_video_id: post for post in posts if post.posted_at >= SINCE}
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        assert {video.platform_video_id for video in report.videos} == set(true)
        assert len(true) > 2
        for video in report.videos:
            true_post = true[video.platform_video_id]
            assert counts(video, provider.platform) == counts(true_post, provider.platform)
            assert (video.posted_at, video.posted_at_is_estimate) == (true_post.posted_at, False)
            assert (video.url, video.caption or "") == (true_post.url, true_post.caption or "")

    @pytest.mark.slow
    async def test_known_posts_far_back_are_read_without_a_fetch_platform_each(
        self, simulator: RunningSimulator, provider: Any, tokens: KeptTokens, handle: str
    ) -> None:
        tokens.connect(handle)
        posts = simulator.world.posts(provider.platform, handle, NOW)
        platform_video_ids = {post.platform_video_id for post in posts}
        target = target_of(simulator, provider.platform, handle)
        report = await provider.discover(target, since=NOW, known=platform_video_ids)
        assert report.outcome is Outcome.OK
        assert {video.platform_video_id for video in report.videos} == platform_video_ids

    async def test_one_post_is_read_by_its_id(
        self, simulator: RunningSimulator, provider: Any, tokens: KeptTokens, handle: str
    ) -> None:
        tokens.connect(handle)
        true = simulator.world.posts(provider.platform, handle, NOW)[-1]
        target = PostTarget(
            platform=provider.platform, platform_video_id=true.platform_video_id, handle=handle
        )
        report = await provider.post(target)
        assert report.outcome is Outcome.OK
        [video] = report.videos
        assert counts(video, provider.platform) == counts(true, provider.platform)

    async def test_another_creators_post_is_not_shown(
        self, simulator: RunningSimulator, provider: Any, tokens: KeptTokens, handle: str
    ) -> None:
        tokens.connect(handle)
        world = simulator.world
        other = next(name for name in world.handles(provider.platform, at=NOW) if name != handle)
        true = world.posts(provider.platform, other, NOW)[0]
        target = PostTarget(
            platform=provider.platform, platform_video_id=true.platform_video_id, handle=handle
        )
        report = await provider.post(target)
        assert (report.outcome, report.videos) == (Outcome.POST_UNAVAILABLE, ())

    async def test_an_account_that_nobody_connected_is_told(
        self, simulator: RunningSimulator, provider: Any, handle: str
    ) -> None:
        target = target_of(simulator, provider.platform, handle)
        assert not await provider.serves(target)
        report = await provider.profile(target)
        assert (report.outcome, report.account) == (Outcome.OUT_OF_REACH, None)
        assert "has not connected" in report.detail


class TestWhatGoesWrong:
    async def fetches(self, simulator: RunningSimulator, provider: Any, handle: str) -> list[Any]:
        """A profile, a discovery and a post, each by a provider that has seen nothing yet."""
        target = target_of(simulator, provider.platform, handle)
        true = simulator.world.posts(provider.platform, handle, NOW)[0]
        post = PostTarget(
            platform=provider.platform, platform_video_id=true.platform_video_id, handle=handle
        )
        return [
            await provider.profile(target),
            await provider.discover(target, since=SINCE, known=()),
            await provider.post(post),
        ]

    @pytest.mark.parametrize(
        ("kind", "outcome"),
        [
            (FaultKind.REVOKED_CONSENT, Outcome.CONSENT_ENDED),
            (FaultKind.EXPIRED_ACCESS, Outcome.CONSENT_ENDED),
            (FaultKind.CUT_BODY, Outcome.SCHEMA_CHANGED),
            (FaultKind.OTHER_ACCOUNT, Outcome.SCHEMA_CHANGED),
            (FaultKind.RATE_LIMITED, Outcome.RATE_LIMITED),
            (FaultKind.SERVER_ERROR, Outcome.UNREACHABLE),
            (FaultKind.RESET, Outcome.UNREACHABLE),
            (FaultKind.EMPTY_BODY, Outcome.SCHEMA_CHANGED),
        ],
    )
    async def test_each_has_its_outcome_and_nothing_is_stored(
        self,
        simulator: RunningSimulator,
        provider: Any,
        tokens: KeptTokens,
        handle: str,
        fault: Callable[..., None],
        *,
        kind: FaultKind,
        outcome: Outcome,
    ) -> None:
        tokens.connect(handle)
        fault(Fault(kind=kind, path=f"/{provider.platform}-login/*"))
        for report in await self.fetches(simulator, provider, handle):
            assert report.outcome is outcome, report
            assert (report.account, report.videos) == (None, ())
            assert "IGAA" not in f"{report.detail}{report.raw_sample}"
            assert "act." not in f"{report.detail}{report.raw_sample}"

    async def test_a_token_that_ended_is_renewed_once_and_the_fetch_goes_on(
        self,
        simulator: RunningSimulator,
        provider: Any,
        tokens: KeptTokens,
        handle: str,
        fault: Callable[..., None],
    ) -> None:
        tokens.connect(handle)
        own = "user/info/" if provider.platform == "tiktok" else "v26.0/me"
        path = f"/{provider.platform}-login/*{own}"
        fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path=path, times=1))
        report = await provider.profile(target_of(simulator, provider.platform, handle))
        assert (report.outcome, tokens.renewals, tokens.refused) == (Outcome.OK, 1, [])

    async def test_pages_before_the_one_that_broke_are_kept(
        self,
        simulator: RunningSimulator,
        provider: Any,
        tokens: KeptTokens,
        handle: str,
        fault: Callable[..., None],
    ) -> None:
        tokens.connect(handle)
        posts = simulator.world.posts(provider.platform, handle, NOW)
        start = posts[-1].posted_at
        target = target_of(simulator, provider.platform, handle)
        await provider.profile(target)
        later = "video/query/" if provider.platform == "tiktok" else "insights"
        fault(Fault(kind=FaultKind.CUT_BODY, path=f"/{provider.platform}-login/*{later}"))
        known = {posts[-1].platform_video_id} if provider.platform == "tiktok" else set()
        since = NOW - timedelta(days=5) if provider.platform == "tiktok" else start
        report = await provider.discover(target, since=since, known=known)
        assert report.outcome is Outcome.SCHEMA_CHANGED
        assert report.videos
        assert all(video.view_count != 0 for video in report.videos)

    async def test_pages_that_repeat_end_the_fetch(
        self,
        simulator: RunningSimulator,
        provider: Any,
        tokens: KeptTokens,
        handle: str,
        fault: Callable[..., None],
    ) -> None:
        tokens.connect(handle)
        fault(Fault(kind=FaultKind.SAME_PAGE, path=f"/{provider.platform}-login/*"))
        since = NOW - timedelta(days=4000)
        target = target_of(simulator, provider.platform, handle)
        report = await provider.discover(target, since=since, known=())
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert report.videos


async def test_a_consent_that_ended_is_not_renewed_again(
    simulator: RunningSimulator,
    provider: Any,
    tokens: KeptTokens,
    handle: str,
    fault: Callable[..., None],
) -> None:
    tokens.connect(handle)
    grant, _ = tokens.kept[handle]
    fault(Fault(kind=FaultKind.REVOKED_CONSENT, path=f"/{provider.platform}-login/*"))
    with pytest.raises(ConsentEndedError) as refused:
        tokens.login.renew(grant)
    assert grant.access_token.get_secret_value() not in str(refused.value)
