"""Connected accounts over real HTTP, against platforms that share no code with the client."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
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


class MemoryTokens:
    """Tokens in memory, renewed at the platform."""

    def __init__(self, login: Login) -> None:
        self.login = login
        self.kept: dict[str, tuple[Grant, Token]] = {}
        self.renewals = 0
        self.refused: list[str] = []

    def connect(self, handle: str) -> None:
        """Grant all scopes for the creator of a handle."""
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


def tokens_of(simulator: RunningSimulator, platform: str) -> MemoryTokens:
    """Return tokens of an app that no creator has authorized yet."""
    app = {
        f"{name}_login_client_{part}": made
        for name in ("tiktok", "instagram")
        for part, made in (("id", "app"), ("secret", SecretStr("secret-of-app")))
    }
    return MemoryTokens(logins_of({**login_settings(simulator), **app})[platform])


@pytest.fixture
def tokens(simulator: RunningSimulator, platform: str) -> MemoryTokens:
    return tokens_of(simulator, platform)


@pytest.fixture
async def provider(
    simulator: RunningSimulator, tokens: MemoryTokens, platform: str, fake_time: Any
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
    """Return a professional with more than two pages of posts, some of them old."""
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


@dataclass(frozen=True)
class Stage:
    """A simulated creator and a provider with their consent."""

    simulator: RunningSimulator
    provider: Any
    tokens: MemoryTokens
    handle: str
    platform: str

    @property
    def requests(self) -> str:
        """The paths of all requests to the platform."""
        return f"/{self.platform}-login/*"

    @property
    def target(self) -> AccountTarget:
        true = self.simulator.world.profile(self.platform, self.handle, NOW)
        ids = {"platform_user_id": true.platform_user_id, "platform_alt_id": true.platform_alt_id}
        return AccountTarget(platform=self.platform, handle=self.handle, **ids)

    @property
    def posts(self) -> Sequence[TruePost]:
        return self.simulator.world.posts(self.platform, self.handle, NOW)

    async def read_post(self, true: TruePost) -> Any:
        known = {"platform_video_id": true.platform_video_id, "handle": self.handle}
        return await self.provider.post(PostTarget(platform=self.platform, **known))


@pytest.fixture
def unconnected(
    simulator: RunningSimulator, provider: Any, tokens: MemoryTokens, handle: str, platform: str
) -> Stage:
    return Stage(simulator, provider, tokens, handle, platform)


@pytest.fixture
def stage(unconnected: Stage) -> Stage:
    """Connect the creator."""
    unconnected.tokens.connect(unconnected.handle)
    return unconnected


def counts(post: VideoSnapshot | TruePost, platform: str) -> tuple[Any, ...]:
    """Return a post's public counts; saves are visible only to its creator."""
    saves = post.save_count if isinstance(post, VideoSnapshot) else None
    likes = None if getattr(post, "likes_hidden", False) else post.like_count
    if platform == "tiktok":
        likes = post.like_count
    return post.view_count, likes, post.comment_count, post.share_count, saves


class TestReading:
    async def test_a_profile_has_the_true_counts(self, stage: Stage) -> None:
        report = await stage.provider.profile(stage.target)
        true = stage.simulator.world.profile(stage.platform, stage.handle, NOW)
        seen = report.account
        assert (report.outcome, seen.observed_handle) == (Outcome.OK, stage.handle)
        assert seen.is_exact
        assert (seen.follower_count, seen.following_count, seen.video_count) == (
            true.follower_count,
            true.following_count,
            true.video_count,
        )

    async def test_all_posts_since_the_start_have_the_true_counts_and_times(
        self, stage: Stage
    ) -> None:
        report = await stage.provider.discover(stage.target, since=SINCE, known=())
        true = {post.platform_video_id: post for post in stage.posts if post.posted_at >= SINCE}
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)
        assert {video.platform_video_id for video in report.videos} == set(true)
        assert len(true) > 2
        for video in report.videos:
            true_post = true[video.platform_video_id]
            assert counts(video, stage.platform) == counts(true_post, stage.platform)
            assert (video.posted_at, video.posted_at_is_estimate) == (true_post.posted_at, False)
            assert (video.url, video.caption or "") == (true_post.url, true_post.caption or "")

    @pytest.mark.slow
    async def test_known_posts_far_back_need_no_fetch_each(self, stage: Stage) -> None:
        known = {post.platform_video_id for post in stage.posts}
        report = await stage.provider.discover(stage.target, since=NOW, known=known)
        assert report.outcome is Outcome.OK
        assert {video.platform_video_id for video in report.videos} == known

    async def test_one_post_is_read_by_its_id(self, stage: Stage) -> None:
        true = stage.posts[-1]
        report = await stage.read_post(true)
        assert report.outcome is Outcome.OK
        [video] = report.videos
        assert counts(video, stage.platform) == counts(true, stage.platform)

    async def test_another_creators_post_is_not_shown(self, stage: Stage) -> None:
        world = stage.simulator.world
        handles = world.handles(stage.platform, at=NOW)
        other = next(name for name in handles if name != stage.handle)
        report = await stage.read_post(world.posts(stage.platform, other, NOW)[0])
        assert (report.outcome, report.videos) == (Outcome.POST_UNAVAILABLE, ())

    async def test_an_account_without_a_connection_is_out_of_reach(
        self, unconnected: Stage
    ) -> None:
        assert not await unconnected.provider.serves(unconnected.target)
        report = await unconnected.provider.profile(unconnected.target)
        assert (report.outcome, report.account) == (Outcome.OUT_OF_REACH, None)
        assert "has not connected" in report.detail


class TestErrors:
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
        self, stage: Stage, fault: Callable[..., None], *, kind: FaultKind, outcome: Outcome
    ) -> None:
        fault(Fault(kind=kind, path=stage.requests))
        for report in (
            await stage.provider.profile(stage.target),
            await stage.provider.discover(stage.target, since=SINCE, known=()),
            await stage.read_post(stage.posts[0]),
        ):
            assert report.outcome is outcome, report
            assert (report.account, report.videos) == (None, ())
            assert "IGAA" not in f"{report.detail}{report.raw_sample}"
            assert "act." not in f"{report.detail}{report.raw_sample}"

    async def test_a_token_that_ended_is_renewed_once_and_the_fetch_goes_on(
        self, stage: Stage, fault: Callable[..., None]
    ) -> None:
        own = "user/info/" if stage.platform == "tiktok" else "v26.0/me"
        fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path=f"{stage.requests}{own}", times=1))
        report = await stage.provider.profile(stage.target)
        renewals = (report.outcome, stage.tokens.renewals, stage.tokens.refused)
        assert renewals == (Outcome.OK, 1, [])

    async def test_pages_before_the_one_that_broke_are_kept(
        self, stage: Stage, fault: Callable[..., None]
    ) -> None:
        oldest = stage.posts[-1]
        await stage.provider.profile(stage.target)
        later = "video/query/" if stage.platform == "tiktok" else "insights"
        fault(Fault(kind=FaultKind.CUT_BODY, path=f"{stage.requests}{later}"))
        known = {oldest.platform_video_id} if stage.platform == "tiktok" else set()
        since = NOW - timedelta(days=5) if stage.platform == "tiktok" else oldest.posted_at
        report = await stage.provider.discover(stage.target, since=since, known=known)
        assert report.outcome is Outcome.SCHEMA_CHANGED
        assert report.videos
        assert all(video.view_count != 0 for video in report.videos)

    async def test_pages_that_repeat_end_the_fetch(
        self, stage: Stage, fault: Callable[..., None]
    ) -> None:
        fault(Fault(kind=FaultKind.SAME_PAGE, path=stage.requests))
        since = NOW - timedelta(days=4000)
        report = await stage.provider.discover(stage.target, since=since, known=())
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert report.videos


async def test_a_consent_that_ended_is_not_renewed_again(
    stage: Stage, fault: Callable[..., None]
) -> None:
    grant, _ = stage.tokens.kept[stage.handle]
    fault(Fault(kind=FaultKind.REVOKED_CONSENT, path=stage.requests))
    with pytest.raises(ConsentEndedError) as refused:
        stage.tokens.login.renew(grant)
    assert grant.access_token.get_secret_value() not in str(refused.value)
