"""Connected accounts in the pipeline: tokens in PostgreSQL, their single renewal, and their end."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Timer
from typing import Any, cast
from uuid import UUID

import httpx
import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr
from sqlalchemy import select

from orchestration.resources.providers import open_provider
from orchestration.resources.tokens import Renewals, StoredTokens
from orchestration.scraping.worker import settle_connections
from scrapers.consent.login import Login
from scrapers.consent.registry import logins_of
from scrapers.consent.tokens import ConsentEndedError, ConsentError, Grant, Token
from scrapers.outcomes import Outcome
from scrapers.provider import ChoosyProvider
from scrapers.simulator import (
    Fault,
    FaultKind,
    Kind,
    RunningSimulator,
)
from scrapers.snapshots import AccountTarget, PostTarget, ScrapeReport
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.creators import (
    Creator,
    connecting_api,
    creator_of,
    forget_connections,
    login_settings,
)
from tests.fixtures.simulated import NOW, fault, professional_of, simulator
from warehouse.clock import system_clock
from warehouse.connections import rows
from warehouse.encryption import Encryption
from warehouse.operational.models import Account, AccountConnection
from warehouse.operational.store import operational_store
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

__all__ = ["fault", "simulator"]

REVOKE_PATH = "/tiktok-login/v2/oauth/revoke/"
TOKEN_PATH = "/tiktok-login/v2/oauth/token/"


@pytest.fixture(scope="module")
def connecting(api: Api, simulator: RunningSimulator) -> Iterator[Api]:
    with connecting_api(api, simulator) as served:
        yield served


def hits(simulator: RunningSimulator) -> list[int]:
    """The number of requests that each fault has matched."""
    counts: list[int] = httpx.get(f"{simulator.base_url}/_simulator/faults/met").json()
    return counts


@pytest.fixture
def handle(simulator: RunningSimulator) -> str:
    return simulator.world.handles("tiktok", kind=Kind.PLAIN, at=NOW)[3]


@pytest.fixture
def creator(connecting: Api, tenant: Tenant, handle: str) -> Iterator[Creator]:
    """The only creator with a connected TikTok account."""
    forget_connections(connecting)
    with creator_of(connecting, tenant, handle) as made:
        assert made.connect(handle).status_code == 200
        yield made


@pytest.fixture
def settings(connecting: Api, simulator: RunningSimulator) -> Settings:
    return connecting.settings.model_copy(
        update={
            **login_settings(simulator),
            "tiktok_base_url": simulator.tiktok_url,
            "tiktok_providers": ("display", "web"),
            "scrape_requests_per_second": 10_000.0,
            "now": NOW,
        }
    )


def is_refused(simulator: RunningSimulator, tokens: str) -> bool:
    headers = {"Authorization": f"Bearer {json.loads(tokens)['access']}"}
    response = httpx.get(f"{simulator.tiktok_login_url}/v2/user/info/", headers=headers)
    return response.status_code == 401


def change(creator: Creator, **columns: Any) -> None:
    with creator.tenant.api.store.write_session() as session:
        connection = session.scalars(
            select(AccountConnection).filter_by(account_id=UUID(creator.account_id))
        ).one()
        for name, value in columns.items():
            setattr(connection, name, value)


def renewed_while(settings: Settings, handle: str, event: Callable[[Grant], None]) -> Token | None:
    """Renew an account's token, with an event between the platform's answer and the write."""
    login = logins_of(dict(settings))["tiktok"]

    class Slow:
        def __getattr__(self, name: str) -> Any:
            return getattr(login, name)

        def renew(self, grant: Grant) -> Grant:
            renewed = login.renew(grant)
            event(renewed)
            return renewed

    with operational_store(settings) as store:
        encryption = Encryption(secret_key(settings))
        return Renewals(store, encryption, cast(Login, Slow()), system_clock).token(handle)


def end_connections(api: Api) -> None:
    """End all connections to the service's database, as a restart of PostgreSQL does."""
    ended = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s"
    with psycopg.connect(api.store.dsn, dbname="postgres", autocommit=True) as admin:
        admin.execute(ended, [api.store.url.database])


async def fetch(
    settings: Settings, handle: str, platform: str = "tiktok", user_id: str | None = None
) -> ScrapeReport:
    target = AccountTarget(platform=platform, handle=handle, platform_user_id=user_id)
    async with open_provider(settings, platform) as provider:
        return await provider.profile(target)


async def fetch_both(settings: Settings, handle: str) -> list[ScrapeReport]:
    target = AccountTarget(platform="tiktok", handle=handle)
    async with open_provider(settings, "tiktok") as provider:
        profile = await provider.profile(target)
        return [profile, await provider.discover(target, since=NOW, known=())]


async def test_a_connected_account_is_read_by_its_creators_consent(
    settings: Settings, creator: Creator, handle: str
) -> None:
    report = await fetch(settings, handle)
    assert (report.outcome, report.source) == (Outcome.OK, "tiktok.display_user")
    other = await fetch(settings, "somebody.else")
    assert other.source != "tiktok.display_user"
    assert creator.account()["connected"] is True


@pytest.mark.parametrize("platform", ["tiktok", "instagram"])
async def test_an_earlier_holder_of_a_handle_is_not_read_by_its_next_holders_consent(
    settings: Settings,
    connecting: Api,
    tenant: Tenant,
    simulator: RunningSimulator,
    platform: str,
) -> None:
    """Another project has not yet noticed its account's new handle."""
    handles = simulator.world.handles("tiktok", kind=Kind.PLAIN, at=NOW)
    handle = handles[3] if platform == "tiktok" else professional_of(simulator.world)
    chains = {"tiktok_providers": ("display",), "instagram_providers": ("login",)}
    chain_settings = settings.model_copy(update=chains)
    with creator_of(connecting, tenant, handle, platform) as creator:
        assert creator.connect(handle).status_code == 200
        with connecting.store.write_session() as session:
            session.get_one(Account, UUID(creator.account_id)).platform_user_id = "1"
        reports = {
            user_id: await fetch(chain_settings, handle, platform, user_id)
            for user_id in ("1", "2", None)
        }
        posts = [
            PostTarget(
                platform=platform, platform_video_id="1", handle=handle, platform_user_id=user_id
            )
            for user_id in ("1", "2")
        ]
        async with open_provider(chain_settings, platform) as provider:
            assert isinstance(provider, ChoosyProvider)
            assert [await provider.serves(post) for post in posts] == [True, False]
    accounts = {user_id: report.account for user_id, report in reports.items()}
    assert (reports["2"].outcome, accounts["2"]) == (Outcome.OUT_OF_REACH, None)
    assert [
        account and account.platform_user_id for account in (accounts["1"], accounts[None])
    ] == ["1", "1"]


class TestRenewing:
    async def test_tokens_are_renewed_before_they_end(
        self, settings: Settings, creator: Creator, handle: str
    ) -> None:
        before = creator.tokens()
        change(creator, access_expires_at=datetime.now(UTC) + timedelta(minutes=5))
        assert (await fetch(settings, handle)).source == "tiktok.display_user"
        assert creator.tokens() != before
        renewed = creator.connection()
        assert renewed is not None
        assert renewed.access_expires_at > datetime.now(UTC) + timedelta(hours=23)
        assert (await fetch(settings, handle)).source == "tiktok.display_user"

    async def test_many_at_once_renew_one_time(
        self,
        settings: Settings,
        simulator: RunningSimulator,
        creator: Creator,
        handle: str,
        fault: Callable[..., None],
    ) -> None:
        change(creator, access_expires_at=datetime.now(UTC))
        fault(Fault(kind=FaultKind.SLOW, path=TOKEN_PATH, latency_ms=200))
        login = logins_of(dict(settings))["tiktok"]
        stored = [StoredTokens(settings, login) for _ in range(3)]
        try:
            tokens = await asyncio.gather(
                *(source.of(handle, None) for source in (*stored, *stored))
            )
        finally:
            for source in stored:
                await source.aclose()
        assert hits(simulator) == [1]
        assert len({token.access.get_secret_value() for token in tokens if token}) == 1
        assert None not in tokens

    def test_a_concurrent_new_connection_stays(
        self, settings: Settings, creator: Creator, handle: str
    ) -> None:
        """No row is locked during the request to the platform, so the creator need not wait."""
        renewed = []

        def reconnect(_: Grant) -> None:
            assert creator.connect(handle).status_code == 200
            renewed.append(creator.tokens())

        change(creator, access_expires_at=datetime.now(UTC))
        token = renewed_while(settings, handle, reconnect)
        assert token is not None
        assert [creator.tokens()] == renewed
        assert json.loads(renewed[0])["access"] == token.access.get_secret_value()

    def test_a_concurrent_disconnect_is_revoked_even_after_a_stopped_process(
        self,
        settings: Settings,
        simulator: RunningSimulator,
        creator: Creator,
        handle: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("warehouse.operational.session_lock.LONGEST_WAIT", "100ms")
        connection, store, renewed = creator.connection(), creator.tenant.api.store, []
        assert connection is not None
        key = rows.consent_key("tiktok", connection.subject)
        change(creator, access_expires_at=datetime.now(UTC))
        with psycopg.connect(store.dsn) as stopped:

            def disconnect(grant: Grant) -> None:
                renewed.append(grant.tokens())
                change(creator, ended_at=datetime.now(UTC))
                settle_connections(settings, store, "tiktok")
                assert creator.connection() is None
                stopped.execute("select pg_advisory_xact_lock(%s)", [key])

            with pytest.raises(ConsentEndedError):
                renewed_while(settings, handle, disconnect)
        assert [is_refused(simulator, tokens) for tokens in renewed] == [False]
        settle_connections(settings, store, "tiktok")
        assert creator.connection() is None
        assert [is_refused(simulator, tokens) for tokens in renewed] == [True]

    def test_a_renewed_token_is_stored_once_postgresql_is_back(
        self, settings: Settings, connecting: Api, creator: Creator, handle: str
    ) -> None:
        """TikTok rejects the older token, which another process might report as broken."""
        name, before = sql.Identifier(connecting.store.url.database or ""), creator.tokens()
        allow = sql.SQL("alter database {} with allow_connections {}")
        admin = psycopg.connect(connecting.store.dsn, dbname="postgres", autocommit=True)

        def come_back() -> None:
            with admin:
                admin.execute(allow.format(name, sql.Literal(True)))

        def restart(_: Grant) -> None:
            change(creator, broken_at=datetime.now(UTC), broken_reason="revoked")
            admin.execute(allow.format(name, sql.Literal(False)))
            end_connections(connecting)
            Timer(1, come_back).start()

        change(creator, access_expires_at=datetime.now(UTC))
        token = renewed_while(settings, handle, restart)
        assert token is not None
        stored, connection = creator.tokens(), creator.connection()
        assert json.loads(stored)["access"] == token.access.get_secret_value()
        assert stored != before
        assert connection is not None
        assert connection.broken_at is None

    def test_no_other_process_sends_the_token_again_after_a_restart_of_postgresql(
        self, settings: Settings, connecting: Api, creator: Creator, handle: str
    ) -> None:
        """The restart releases the lock; the platform may end a consent for a token sent twice."""
        refusals: list[ConsentError] = []

        def restart(_: Grant) -> None:
            end_connections(connecting)
            with pytest.raises(ConsentError) as refusal:
                renewed_while(settings, handle, lambda _: None)
            refusals.append(refusal.value)

        change(creator, access_expires_at=datetime.now(UTC))
        token = renewed_while(settings, handle, restart)
        assert token is not None
        assert json.loads(creator.tokens())["access"] == token.access.get_secret_value()
        assert [str(refusal) for refusal in refusals] == ["another process is renewing it"]
        change(creator, access_expires_at=datetime.now(UTC))
        assert renewed_while(settings, handle, lambda _: None) not in (None, token)

    async def test_a_consent_that_a_stopped_process_renews_is_left_to_the_next_time(
        self, settings: Settings, creator: Creator, handle: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("warehouse.operational.session_lock.LONGEST_WAIT", "100ms")
        alone = settings.model_copy(update={"tiktok_providers": ("display",)})
        change(creator, access_expires_at=datetime.now(UTC) - timedelta(minutes=5))
        connection = creator.connection()
        assert connection is not None
        turn = int.from_bytes(connection.id.bytes[-8:], signed=True)
        with psycopg.connect(creator.tenant.api.store.dsn) as stopped:
            stopped.execute("select pg_advisory_xact_lock(%s)", [turn])
            async with asyncio.timeout(20):
                assert (await fetch(alone, handle)).outcome is Outcome.UNREACHABLE
            assert creator.account()["connected"] is True
        assert (await fetch(alone, handle)).outcome is Outcome.OK

    async def test_a_valid_token_is_used_while_renewal_fails(
        self, settings: Settings, creator: Creator, handle: str, fault: Callable[..., None]
    ) -> None:
        change(creator, access_expires_at=datetime.now(UTC) + timedelta(minutes=5))
        fault(Fault(kind=FaultKind.SERVER_ERROR, path=TOKEN_PATH))
        assert (await fetch(settings, handle)).source == "tiktok.display_user"
        assert creator.account()["connected"] is True

    async def test_a_renewal_with_a_cut_off_answer_ends_the_consent(
        self, settings: Settings, creator: Creator, handle: str, fault: Callable[..., None]
    ) -> None:
        """The older token is invalid from then on, and the new one never arrived."""
        change(creator, access_expires_at=datetime.now(UTC) + timedelta(minutes=5))
        fault(Fault(kind=FaultKind.CUT_BODY, path=TOKEN_PATH, times=1))
        report = await fetch(settings, handle)
        assert (report.outcome, report.source) == (Outcome.OK, "tiktok.profile_page")
        assert creator.account()["connection"]["broken_reason"] == "revoked"

    async def test_an_expired_token_that_cannot_be_renewed_breaks_nothing(
        self, settings: Settings, creator: Creator, handle: str, fault: Callable[..., None]
    ) -> None:
        change(creator, access_expires_at=datetime.now(UTC) - timedelta(minutes=5))
        fault(Fault(kind=FaultKind.SERVER_ERROR, path=TOKEN_PATH))
        alone = settings.model_copy(update={"tiktok_providers": ("display",)})
        report = await fetch(alone, handle)
        assert (report.outcome, report.account) == (Outcome.UNREACHABLE, None)
        assert creator.account()["connected"] is True
        assert (await fetch(settings, handle)).outcome is Outcome.OK


DATA_PATH = "/tiktok-login/v2/user/info/"


class TestRefusalsForAWhile:
    """A platform refuses a good token: during an outage, or for a permission that was revoked."""

    def later(self, creator: Creator, **time: float) -> None:
        connection = creator.connection()
        assert connection is not None
        moved = {"refused_since": connection.refused_since, "retry_at": connection.retry_at}
        change(creator, **{name: at and at - timedelta(**time) for name, at in moved.items()})

    async def test_it_is_retried_after_hours_and_read_elsewhere_meanwhile(
        self,
        settings: Settings,
        simulator: RunningSimulator,
        creator: Creator,
        handle: str,
        fault: Callable[..., None],
    ) -> None:
        fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path=DATA_PATH))
        for hours in (1, 6, 24, 24):
            refused = hits(simulator)
            assert (await fetch(settings, handle)).source == "tiktok.profile_page"
            assert hits(simulator) > refused
            refused = hits(simulator)
            self.later(creator, hours=hours - 0.1)
            assert (await fetch(settings, handle)).source == "tiktok.profile_page"
            assert hits(simulator) == refused
            assert creator.account()["connected"] is True
            self.later(creator, hours=0.1)
        self.later(creator, days=-30)  # as after a clock that was ahead
        refused = hits(simulator)
        assert (await fetch(settings, handle)).source == "tiktok.profile_page"
        assert hits(simulator) > refused
        connection = creator.connection()
        assert connection is not None
        assert connection.refused_since is not None
        assert connection.refused_since <= datetime.now(UTC)
        fault()
        self.later(creator, hours=1)
        [profile, posts] = await fetch_both(settings, handle)
        assert (profile.source, posts.source) == ("tiktok.display_user", "tiktok.display_videos")
        connection = creator.connection()
        assert connection is not None
        assert (connection.refused_since, connection.retry_at, connection.broken_at) == (
            None,
            None,
            None,
        )

    async def test_after_a_week_of_refusals_the_creator_has_to_connect_again(
        self, settings: Settings, creator: Creator, handle: str, fault: Callable[..., None]
    ) -> None:
        fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path=DATA_PATH))
        await fetch(settings, handle)
        self.later(creator, days=7)
        await fetch(settings, handle)
        assert creator.account()["connection"]["broken_reason"] == "revoked"
        fault()
        assert creator.connect(handle).status_code == 200
        assert (await fetch(settings, handle)).source == "tiktok.display_user"

    async def test_a_revoked_permission_ends_the_consent_after_a_week(
        self, settings: Settings, creator: Creator, handle: str, fault: Callable[..., None]
    ) -> None:
        """The profile is still readable, which proves nothing for the posts."""
        fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path="/tiktok-login/v2/video/list/"))
        for hours in (1, 6, 24, 6 * 24, 0):
            assert creator.account()["connected"] is True
            [profile, posts] = await fetch_both(settings, handle)
            assert profile.source == "tiktok.display_user"
            assert (posts.outcome, "consent_ended" in str(posts.detail)) == (Outcome.OK, True)
            self.later(creator, hours=hours)
        assert creator.account()["connection"]["broken_reason"] == "revoked"

    async def test_a_self_renewing_token_survives_an_outage(
        self,
        settings: Settings,
        connecting: Api,
        tenant: Tenant,
        simulator: RunningSimulator,
        fault: Callable[..., None],
    ) -> None:
        """Instagram refuses the renewal with the same token: an end looks like an outage."""
        handle = professional_of(simulator.world)
        with creator_of(connecting, tenant, handle, "instagram") as creator:
            assert creator.connect(handle).status_code == 200
            fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path="/instagram-login/*"))
            chain_settings = settings.model_copy(update={"instagram_providers": ("login",)})
            report = await fetch(chain_settings, handle, "instagram")
            assert (report.outcome, report.account) == (Outcome.CONSENT_ENDED, None)
            assert creator.account()["connected"] is True
            fault()
            self.later(creator, hours=1)
            assert (await fetch(chain_settings, handle, "instagram")).outcome is Outcome.OK

    async def test_a_renewal_that_succeeds_ends_the_week_of_refusals(
        self,
        settings: Settings,
        connecting: Api,
        tenant: Tenant,
        simulator: RunningSimulator,
        fault: Callable[..., None],
    ) -> None:
        """A deactivated account is not fetched: an outage a month later starts a new week."""
        handle = professional_of(simulator.world)
        with creator_of(connecting, tenant, handle, "instagram") as creator:
            assert creator.connect(handle).status_code == 200
            path = f"/accounts/{creator.account_id}/deactivate"
            creator.tenant.client.data("POST", path, json={"videos": "freeze"})
            soon = datetime.now(UTC) + timedelta(days=29)
            for _ in range(2):
                change(creator, expires_at=soon)
                fault(Fault(kind=FaultKind.EXPIRED_ACCESS, path="/instagram-login/*"))
                settle_connections(settings, connecting.store, "instagram")
                assert creator.account()["connected"] is True
                refused = hits(simulator)
                settle_connections(settings, connecting.store, "instagram")
                assert hits(simulator) == refused
                fault()
                self.later(creator, hours=1)
                settle_connections(settings, connecting.store, "instagram")
                connection = creator.connection()
                assert connection is not None
                assert connection.expires_at > soon
                self.later(creator, days=30)


class TestTheEnd:
    @pytest.mark.parametrize(
        ("lasts", "reason"), [(timedelta(days=1), "revoked"), (timedelta(days=-1), "expired")]
    )
    async def test_an_ended_consent_is_reported_once_and_the_next_provider_used(
        self,
        settings: Settings,
        simulator: RunningSimulator,
        creator: Creator,
        handle: str,
        fault: Callable[..., None],
        *,
        lasts: timedelta,
        reason: str,
    ) -> None:
        change(creator, expires_at=datetime.now(UTC) + lasts)
        fault(Fault(kind=FaultKind.REVOKED_CONSENT, path="/tiktok-login/*"))
        report = await fetch(settings, handle)
        assert (report.outcome, report.source) == (Outcome.OK, "tiktok.profile_page")
        assert report.detail is not None
        assert report.detail.startswith("display ended consent_ended")
        account = creator.account()
        assert account["connected"] is False
        assert account["connection"]["broken_reason"] == reason
        assert account["connection"]["broken_at"] is not None
        matches = hits(simulator)
        second = await fetch(settings, handle)
        assert (second.outcome, second.detail, hits(simulator)) == (Outcome.OK, None, matches)

    async def test_an_ended_connection_is_not_used(
        self, settings: Settings, creator: Creator, handle: str
    ) -> None:
        ended = creator.tenant.client.data("DELETE", f"/accounts/{creator.account_id}/connection")
        assert ended == {"deleted": True}
        assert (await fetch(settings, handle)).source == "tiktok.profile_page"
        account = creator.account()
        assert (account["connected"], account["connection"]) == (False, None)
        ended = creator.tenant.client.data("DELETE", f"/accounts/{creator.account_id}/connection")
        assert ended == {"deleted": False}

    async def test_an_ended_consent_is_revoked_and_deleted(
        self,
        settings: Settings,
        connecting: Api,
        simulator: RunningSimulator,
        creator: Creator,
        fault: Callable[..., None],
    ) -> None:
        tokens = creator.tokens()
        fault(Fault(kind=FaultKind.SLOW, path=REVOKE_PATH, latency_ms=1))
        with connecting.store.write_session() as session:
            session.get_one(Account, UUID(creator.account_id)).is_active = False
        settle_connections(settings, connecting.store, "tiktok")
        assert (creator.connection(), hits(simulator)) == (None, [1])
        assert is_refused(simulator, tokens)
        settle_connections(settings, connecting.store, "tiktok")
        assert hits(simulator) == [1]

    @pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.RESET, FaultKind.CUT_BODY])
    async def test_it_is_deleted_even_if_the_platform_fails(
        self,
        settings: Settings,
        connecting: Api,
        creator: Creator,
        fault: Callable[..., None],
        kind: FaultKind,
    ) -> None:
        fault(Fault(kind=kind, path=REVOKE_PATH))
        change(creator, ended_at=datetime.now(UTC))
        settle_connections(settings, connecting.store, "tiktok")
        assert creator.connection() is None

    async def test_a_consent_in_use_by_another_organization_is_not_revoked(
        self, settings: Settings, connecting: Api, creator: Creator, handle: str
    ) -> None:
        with new_tenant(connecting) as other, creator_of(connecting, other, handle) as theirs:
            assert theirs.connect(handle).status_code == 200
            change(creator, ended_at=datetime.now(UTC))
            settle_connections(settings, connecting.store, "tiktok")
            assert creator.connection() is None
            assert (await fetch(settings, handle)).source == "tiktok.display_user"
            assert theirs.account()["connected"] is True

    async def test_consents_near_their_end_are_renewed_without_fetches(
        self, settings: Settings, connecting: Api, creator: Creator
    ) -> None:
        creator.tenant.client.data(
            "POST", f"/accounts/{creator.account_id}/deactivate", json={"videos": "freeze"}
        )
        settle_connections(settings, connecting.store, "tiktok")
        before = creator.tokens()
        soon, unused = (datetime.now(UTC) + timedelta(days=days) for days in (29, -2))
        change(creator, expires_at=soon, access_expires_at=unused)
        settle_connections(settings, connecting.store, "tiktok")
        renewed = creator.connection()
        assert renewed is not None
        assert renewed.expires_at > datetime.now(UTC) + timedelta(days=364)
        assert (tokens := creator.tokens()) != before
        change(creator, expires_at=soon)
        settle_connections(settings, connecting.store, "tiktok")
        assert creator.tokens() == tokens  # no second renewal at once

    @pytest.mark.parametrize("is_one_token", [False, True])
    async def test_two_workers_renew_a_token_once(
        self, settings: Settings, connecting: Api, creator: Creator, is_one_token: bool
    ) -> None:
        """Instagram's only token ends with the consent, and is renewed at most once a day."""
        soon, unused = (datetime.now(UTC) + timedelta(days=days) for days in (29, -2))
        change(creator, expires_at=soon, access_expires_at=soon if is_one_token else unused)
        login, encryption = logins_of(dict(settings))["tiktok"], Encryption(secret_key(settings))

        class OneToken:
            def __getattr__(self, name: str) -> Any:
                return getattr(login, name)

            def renew(self, grant: Grant) -> Grant:
                renewed = login.renew(grant)
                return replace(renewed, expires_at=renewed.access_expires_at)

        used = cast(Login, OneToken()) if is_one_token else login
        connection = creator.connection()
        assert connection is not None
        renewed = list[Token]()
        for _ in range(2):
            renewals = Renewals(connecting.store, encryption, used, system_clock)
            renewed.append(renewals.renew(connection.id, renewals.token_of(connection), soon))
        assert renewed[0] == renewed[1]

    async def test_a_login_without_an_answer_delays_no_crawl_for_long(
        self, settings: Settings, connecting: Api, creator: Creator, handle: str
    ) -> None:
        """Each request may take 15 seconds, and many creators may be affected."""
        instant = datetime.now(UTC)

        def clock() -> datetime:
            nonlocal instant
            instant += timedelta(seconds=15)
            return instant

        with ExitStack() as others:
            creators = [creator]
            for _ in range(7):
                other = others.enter_context(new_tenant(connecting))
                creators.append(others.enter_context(creator_of(connecting, other, handle)))
                assert creators[-1].connect(handle).status_code == 200
            for creator_of_tenant in creators[:4]:
                change(creator_of_tenant, expires_at=datetime.now(UTC) + timedelta(days=29))
            for creator_of_tenant in creators[4:]:
                change(creator_of_tenant, ended_at=datetime.now(UTC))
            settle_connections(settings, connecting.store, "tiktok", clock=clock)
            left = [creator.connection() for creator in creators]
            assert 0 < sum(connection is not None for connection in left[4:]) < 4
            settle_connections(settings, connecting.store, "tiktok")
            assert [creator.connection() for creator in creators[4:]] == [None] * 4

    async def test_the_connection_of_a_removed_account_is_not_used(
        self, settings: Settings, creator: Creator, handle: str
    ) -> None:
        creator.tenant.client.data("DELETE", f"/accounts/{creator.account_id}")
        assert (await fetch(settings, handle)).source == "tiktok.profile_page"

    async def test_another_secret_key_is_reported_and_ends_no_connection(
        self, settings: Settings, creator: Creator, handle: str
    ) -> None:
        wrong = {"tiktok_providers": ("display",), "secret_key": SecretStr("another secret " * 3)}
        report = await fetch(settings.model_copy(update=wrong), handle)
        assert (report.outcome, report.account) == (Outcome.UNREACHABLE, None)
        assert "was TRACKER_SECRET_KEY changed?" in str(report.detail)
        assert creator.account()["connected"] is True
