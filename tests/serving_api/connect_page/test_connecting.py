"""A creator connects an account in a browser; the platform answers as the real ones do."""

import json
import logging
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from scrapers.simulator import Fault, FaultKind, RunningSimulator
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.creators import Creator, creator_of
from tests.fixtures.locks import wait_until_waiting
from warehouse.connections import rows
from warehouse.operational.models import (
    Account,
    AccountConnection,
    AuditEntry,
    ChangeEntry,
    ConnectAttempt,
    Organization,
)
from warehouse.operational.session_lock import session_lock

DAY = timedelta(days=1)


def attempts(api: Api) -> list[ConnectAttempt]:
    with api.store.read_session() as session:
        return list(session.scalars(select(ConnectAttempt)))


def await_disconnecting(creator: Creator) -> None:
    """Wait until the server has deleted the connection, which it does in a background thread."""
    deadline = time.monotonic() + 30
    while creator.connection() is not None:
        assert time.monotonic() < deadline, "the connection was not deleted"
        time.sleep(0.01)


class TestTheWayThere:
    def test_the_link_shows_the_accounts_and_nothing_secret(self, creator: Creator) -> None:
        link = creator.link()
        page = creator.http.get(urlsplit(link).path)
        assert page.status_code == 200
        assert "@" + creator.made["accounts"][0]["handle"] in page.text
        assert "Connect with TikTok" in page.text
        assert page.headers["Cache-Control"] == "no-store"
        assert "form-action 'self' http://127.0.0.1" in page.headers["Content-Security-Policy"]

    def test_the_platform_gets_client_and_scopes(self, creator: Creator, connecting: Api) -> None:
        query = {name: value for name, [value] in parse_qs(urlsplit(creator.leave()).query).items()}
        origin = connecting.settings.base_url
        assert query.pop("redirect_uri") == f"{origin}/connect/callback/tiktok"
        assert query.pop("client_key") == "app-at-tiktok"
        assert query.pop("scope").split(",") == [
            "user.info.basic",
            "user.info.profile",
            "user.info.stats",
            "video.list",
        ]
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        assert re.fullmatch("[0-9a-f]{64}", query["code_challenge"])  # TikTok's own form
        assert len(query["state"]) == 43

    @pytest.mark.parametrize("token", ["nope", "IjAi.aa.bb", "%00"])
    def test_an_invalid_link_is_explained(self, creator: Creator, token: str) -> None:
        page = creator.http.get(f"/connect/{token}")
        assert page.status_code == 404
        assert "This link has expired" in page.text

    def test_a_link_ends_with_its_creator(self, creator: Creator) -> None:
        link = urlsplit(creator.link()).path
        creator.tenant.client.data("DELETE", f"/creators/{creator.made['id']}")
        assert creator.http.get(link).status_code == 404
        sent = creator.http.post(link, data={"account_id": creator.account_id})
        assert sent.status_code == 404

    def test_a_link_is_closed_while_its_organization_is_suspended(self, creator: Creator) -> None:
        link = urlsplit(creator.link()).path
        with creator.tenant.api.store.write_session() as session:
            session.get_one(Organization, creator.tenant.organization_id).is_suspended = True
        assert creator.http.get(link).status_code == 404

    def test_others_accounts_are_not_offered(self, creator: Creator, handles: list[str]) -> None:
        other = creator.tenant.creator(handles[1])["accounts"][0]["id"]
        path = urlsplit(creator.link()).path
        for account_id in (other, "", "nope"):
            sent = creator.http.post(path, data={"account_id": account_id})
            assert sent.status_code == 404
            assert "Choose one of the accounts" in sent.text

    def test_a_form_of_another_site_starts_nothing(self, creator: Creator) -> None:
        sent = creator.http.post(
            urlsplit(creator.link()).path,
            data={"account_id": creator.account_id},
            headers={"Origin": "https://elsewhere.example"},
        )
        assert sent.status_code == 403


class TestTheWayBack:
    @pytest.mark.parametrize("platform", ["tiktok", "instagram"])
    def test_an_account_is_connected(
        self, connecting: Api, tenant: Tenant, handles: list[str], professional: str, platform: str
    ) -> None:
        handle = {"tiktok": handles[0], "instagram": professional}[platform]
        with creator_of(connecting, tenant, handle, platform) as creator:
            assert creator.account()["connected"] is False
            assert creator.account()["connection"] is None
            page = creator.connect(handle)
            account = creator.account()
        assert page.status_code == 200, page.text
        assert "is connected" in page.text
        assert account["connected"] is True
        until = datetime.fromisoformat(account["connection"]["until"])
        lasts = {"tiktok": 365 * DAY, "instagram": 60 * DAY}[platform]
        now = datetime.now(UTC)
        assert now + lasts - timedelta(minutes=5) < until <= now + lasts
        assert account["connection"]["broken_at"] is None
        assert account["connection"]["broken_reason"] is None

    def test_the_code_is_not_leaked(self, creator: Creator, handles: list[str]) -> None:
        page = creator.connect(handles[0])
        assert page.headers["Referrer-Policy"] == "no-referrer"
        assert page.headers["Cache-Control"] == "no-store"
        refused = creator.come_back("http://x/connect/callback/tiktok?code=c&state=s")
        assert refused.headers["Referrer-Policy"] == "no-referrer"

    def test_tokens_are_stored_encrypted_and_never_returned(
        self, creator: Creator, handles: list[str], caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        creator.connect(handles[0])
        connection = creator.connection()
        tokens = json.loads(creator.tokens())
        assert tokens["access"].startswith("act.")
        assert tokens["refresh"].startswith("rft.")
        with creator.tenant.api.store.read_session() as session:
            changes = session.scalars(
                select(ChangeEntry.changes).filter_by(entity_id=connection.id)
            ).all()
            [action] = session.scalars(
                select(AuditEntry).filter_by(
                    action="connect_account", organization_id=creator.tenant.organization_id
                )
            )
        assert (action.channel, action.ids) == ("page", {"account_id": creator.account_id})
        text = repr(connection.tokens_encrypted) + json.dumps(list(changes)) + caplog.text
        for secret in (*tokens.values(), "secret-at-tiktok"):
            assert secret not in text
        assert "(not shown)" in json.dumps(list(changes))

    def test_secrets_that_travel_in_addresses_are_not_logged(
        self, connecting: Api, tenant: Tenant, professional: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)
        with creator_of(connecting, tenant, professional, "instagram") as creator:
            creator.connect(professional)
        assert "ig_exchange_token" in caplog.text
        assert "secret-at-instagram" not in caplog.text
        assert "IGAA" not in caplog.text

    def test_another_account_is_refused(self, creator: Creator, handles: list[str]) -> None:
        page = creator.connect(handles[1])
        assert page.status_code == 400
        assert f"You signed in to TikTok as @{handles[1]}" in page.text
        assert f"Sign in to TikTok as @{handles[0]}" in page.text
        assert "Try again</a>" in page.text
        assert creator.account()["connected"] is False

    def test_on_instagram_the_platforms_id_decides(
        self, connecting: Api, tenant: Tenant, professional: str
    ) -> None:
        with creator_of(connecting, tenant, professional, "instagram") as creator:
            with connecting.store.write_session() as session:
                account = session.get_one(Account, UUID(creator.account_id))
                account.platform_alt_id = "17841499999999999"
            assert creator.connect(professional).status_code == 400
            assert creator.account()["connected"] is False

    def test_a_creator_who_declines_is_informed(self, creator: Creator, handles: list[str]) -> None:
        page = creator.come_back(creator.decide(creator.leave(), handles[0], "deny"))
        assert page.status_code == 400
        assert "You did not allow access at" in page.text

    @pytest.mark.parametrize(
        ("scope", "words"),
        [
            ("user.info.basic", "your name and picture"),
            ("user.info.profile", "your profile"),
            ("user.info.stats", "your follower and like counts"),
            ("video.list", "your public videos"),
        ],
    )
    def test_a_permission_that_was_not_given_is_named(
        self, creator: Creator, handles: list[str], scope: str, words: str
    ) -> None:
        page, _, query = creator.leave().partition("?")
        qsl = dict(parse_qsl(query))
        qsl["scope"] = ",".join(name for name in qsl["scope"].split(",") if name != scope)
        response = creator.come_back(creator.decide(f"{page}?{urlencode(qsl)}", handles[0]))
        assert response.status_code == 400
        assert f"TikTok gave no permission to read {words}. Try again" in response.text
        assert creator.connection() is None

    def test_a_state_is_good_once(self, creator: Creator, handles: list[str]) -> None:
        back = creator.decide(creator.leave(), handles[0])
        assert creator.come_back(back).status_code == 200
        page = creator.come_back(back)
        assert page.status_code == 400
        assert "or was already used" in page.text

    def test_another_browser_is_refused(self, creator: Creator, handles: list[str]) -> None:
        back = creator.decide(creator.leave(), handles[0])
        cookies, creator.http.cookies = creator.http.cookies, httpx.Cookies()
        page = creator.come_back(back)
        assert page.status_code == 400
        assert "started in another browser" in page.text
        creator.http.cookies = cookies
        assert creator.come_back(back).status_code == 200

    def test_another_platform_cannot_use_it_in_its_callback(
        self, connecting: Api, tenant: Tenant, professional: str
    ) -> None:
        """Handles are no proof of identity: two people may have the same one on two platforms."""
        with (
            creator_of(connecting, tenant, professional) as creator,
            creator_of(connecting, tenant, professional, "instagram") as other,
        ):
            begun = dict(parse_qsl(urlsplit(creator.leave()).query))
            elsewhere, _, query = other.leave().partition("?")
            mixed = dict(parse_qsl(query)) | {
                name: begun[name] for name in ("state", "code_challenge")
            }
            back = creator.decide(f"{elsewhere}?{urlencode(mixed)}", professional)
            page = creator.come_back(back)
            assert page.status_code == 400
            assert "started with another platform" in page.text
            assert creator.connection() is None

    def test_a_state_ends_after_ten_minutes(self, creator: Creator, handles: list[str]) -> None:
        back = creator.decide(creator.leave(), handles[0])
        with creator.tenant.api.store.write_session() as session:
            [attempt] = session.scalars(
                select(ConnectAttempt).filter_by(account_id=UUID(creator.account_id))
            )
            assert timedelta(minutes=9) < attempt.expires_at - datetime.now(UTC)
            attempt.expires_at = datetime.now(UTC) - timedelta(seconds=1)
        assert creator.come_back(back).status_code == 400
        creator.leave()
        past = [
            attempt
            for attempt in attempts(creator.tenant.api)
            if attempt.expires_at < datetime.now(UTC)
        ]
        assert past == []

    def test_two_attempts_at_once(self, creator: Creator, handles: list[str]) -> None:
        first, second = (creator.decide(creator.leave(), handles[0]) for _ in range(2))
        assert creator.come_back(first).status_code == 200
        assert creator.come_back(second).status_code == 200

    def test_a_code_needs_its_verifier(self, creator: Creator, handles: list[str]) -> None:
        """The attacker puts another user's code into their own callback."""
        mine, theirs = (creator.decide(creator.leave(), handles[0]) for _ in range(2))
        code = parse_qs(urlsplit(theirs).query)["code"][0]
        own = parse_qs(urlsplit(mine).query)["code"][0]
        page = creator.come_back(mine.replace(own, code))
        assert page.status_code == 400
        assert "rejected this sign-in" in page.text
        assert creator.connection() is None

    @pytest.mark.parametrize(
        ("kind", "route"),
        [
            (FaultKind.CUT_BODY, "/v2/oauth/token/"),
            (FaultKind.CUT_BODY, "/v2/user/info/"),
            (FaultKind.SERVER_ERROR, "/v2/oauth/token/"),
            (FaultKind.RESET, "/v2/user/info/"),
            (FaultKind.EXPIRED_ACCESS, "/v2/user/info/"),
            (FaultKind.REVOKED_CONSENT, "/v2/oauth/token/"),
            (FaultKind.EMPTY_BODY, "/v2/oauth/token/"),
        ],
    )
    def test_a_platform_that_fails_leaves_no_connection_and_a_link_to_retry(
        self,
        creator: Creator,
        handles: list[str],
        fault: Callable[..., None],
        kind: FaultKind,
        route: str,
    ) -> None:
        back = creator.decide(creator.leave(), handles[0])
        fault(Fault(kind=kind, path=f"/tiktok-login{route}"))
        page = creator.come_back(back)
        assert page.status_code == 400
        assert "TikTok" in page.text
        assert "Try again</a>" in page.text
        assert creator.connection() is None

    def test_the_way_back_leads_past_a_stopped_process_that_locks_the_consent(
        self, connecting: Api, creator: Creator, handles: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        creator.connect(handles[0])
        connection = creator.connection()
        assert connection is not None
        monkeypatch.setattr("warehouse.operational.session_lock.LONGEST_WAIT", "10ms")
        with session_lock(connecting.store, rows.consent_key("tiktok", connection.subject)):
            page = creator.connect(handles[0])
        assert (page.status_code, "Try again</a>" in page.text) == (400, True)

    def test_removed_accounts_do_not_connect(self, creator: Creator, handles: list[str]) -> None:
        back = creator.decide(creator.leave(), handles[0])
        creator.tenant.client.data("DELETE", f"/accounts/{creator.account_id}")
        page = creator.come_back(back)
        assert (page.status_code, "no longer tracked" in page.text) == (400, True)
        assert creator.connection() is None

    def test_connecting_again_repairs(self, creator: Creator, handles: list[str]) -> None:
        creator.connect(handles[0])
        connection = creator.connection()
        before = creator.tokens()
        with creator.tenant.api.store.write_session() as session:
            session.add(session.merge(connection))
            row = session.get_one(type(connection), connection.id)
            row.broken_at, row.broken_reason = datetime.now(UTC), "revoked"
        assert creator.account()["connected"] is False
        assert creator.account()["connection"]["broken_reason"] == "revoked"
        page = creator.http.get(urlsplit(creator.link()).path)
        assert "Connect this account again" in page.text
        creator.connect(handles[0])
        assert creator.account()["connected"] is True
        assert creator.tokens() != before


class TestOrganizations:
    def test_a_connection_belongs_to_the_organization_of_the_link(
        self, connecting: Api, creator: Creator, handles: list[str]
    ) -> None:
        with new_tenant(connecting) as other, creator_of(connecting, other, handles[0]) as theirs:
            creator.connect(handles[0])
            assert creator.account()["connected"] is True
            assert theirs.account()["connected"] is False
            path = f"/accounts/{creator.account_id}/connection"
            theirs.tenant.client.refusal("DELETE", path, "not_found")
            own = f"/creators/{creator.made['id']}/connect-links"
            theirs.tenant.client.refusal("POST", own, "not_found")
        assert creator.account()["connected"] is True

    def test_a_consent_that_is_revoked_meanwhile_does_not_connect(
        self, connecting: Api, creator: Creator, handles: list[str], simulator: RunningSimulator
    ) -> None:
        """Another organization disconnects the account: a platform has one consent for both."""
        store = connecting.store
        with new_tenant(connecting) as other, creator_of(connecting, other, handles[0]) as theirs:
            theirs.connect(handles[0])
            connection, access = theirs.connection(), json.loads(theirs.tokens())["access"]
            assert connection is not None
            key = rows.consent_key("tiktok", connection.subject)
            with ThreadPoolExecutor(1) as browser:
                with session_lock(store, key):  # as during a revocation
                    page = browser.submit(creator.connect, handles[0])
                    wait_until_waiting(store.dsn)
                    url = f"{simulator.tiktok_login_url}/v2/oauth/revoke/"
                    httpx.post(url, data={"token": access}, trust_env=False).raise_for_status()
                answer = page.result()
        assert (answer.status_code, "Try again" in answer.text) == (400, True)
        assert creator.connection() is None


class TestLinks:
    def test_a_link_names_the_accounts_and_its_end(self, creator: Creator) -> None:
        path = f"/creators/{creator.made['id']}/connect-links"
        link = creator.tenant.client.data("POST", path)
        left = datetime.fromisoformat(link["expires_at"]) - datetime.now(UTC)
        assert 7 * DAY - timedelta(minutes=5) < left <= 7 * DAY
        [account] = link["accounts"]
        assert account == {
            "account_id": creator.account_id,
            "platform": "tiktok",
            "handle": creator.made["accounts"][0]["handle"],
            "connected": False,
        }

    def test_a_replay_does_not_repeat_the_link(self, creator: Creator) -> None:
        path = f"/creators/{creator.made['id']}/connect-links"
        request = {"headers": {"Idempotency-Key": "once"}, "status": 201}
        assert creator.tenant.client.data("POST", path, **request)["url"]
        assert creator.tenant.client.data("POST", path, **request)["url"] is None

    def test_without_a_connectable_account_there_is_no_link(self, creator: Creator) -> None:
        creator.tenant.client.data("DELETE", f"/accounts/{creator.account_id}")
        path = f"/creators/{creator.made['id']}/connect-links"
        meta = creator.tenant.client.refusal("POST", path, "conflict")
        assert meta["reason"] == "nothing_to_connect"


class TestTheEnd:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("DELETE", "/accounts/{account_id}/connection", None),
            ("DELETE", "/accounts/{account_id}", None),
            ("DELETE", "/creators/{creator_id}", None),
            ("PATCH", "/accounts/{account_id}", {"handle": "somebody.else.now"}),
        ],
    )
    def test_the_platform_is_notified_and_the_tokens_are_deleted(
        self,
        creator: Creator,
        handles: list[str],
        simulator: RunningSimulator,
        *,
        method: str,
        path: str,
        body: dict[str, str] | None,
    ) -> None:
        creator.connect(handles[0])
        access = json.loads(creator.tokens())["access"]
        ids = {"account_id": creator.account_id, "creator_id": creator.made["id"]}
        creator.tenant.client.data(method, path.format(**ids), json=body)
        assert creator.account()["connected"] is False
        assert creator.account()["connection"] is None
        await_disconnecting(creator)
        assert creator.connection() is None
        response = httpx.get(
            f"{simulator.tiktok_login_url}/v2/user/info/",
            headers={"Authorization": f"Bearer {access}"},
            trust_env=False,
        )
        assert response.status_code == 401

    def test_a_broken_connection_is_reported(self, creator: Creator, handles: list[str]) -> None:
        creator.connect(handles[0])
        with creator.tenant.api.store.write_session() as session:
            session.get_one(Account, UUID(creator.account_id)).created_at -= timedelta(days=2)
        path = f"/projects/{creator.tenant.project_id}/program-health"
        gaps = creator.tenant.client.data("GET", path)["alerts"]["tracking_gaps"]
        assert gaps["broken_connections"] == {"count": 0, "accounts": []}
        assert [account["reason"] for account in gaps["stale_scrapes"]["accounts"]] == [None]
        with creator.tenant.api.store.write_session() as session:
            connection = session.scalars(
                select(AccountConnection).filter_by(account_id=UUID(creator.account_id))
            ).one()
            connection.broken_at, connection.broken_reason = (
                datetime(2026, 9, 8, tzinfo=UTC),
                "revoked",
            )
        gaps = creator.tenant.client.data("GET", path)["alerts"]["tracking_gaps"]
        assert gaps["broken_connections"] == {
            "count": 1,
            "accounts": [
                {
                    "account_id": creator.account_id,
                    "creator_id": creator.made["id"],
                    "platform": "tiktok",
                    "handle": handles[0],
                    "broken_at": "2026-09-08T00:00:00Z",
                    "broken_reason": "revoked",
                }
            ],
        }
        [stale] = gaps["stale_scrapes"]["accounts"]
        assert stale["reason"] == "connection_broken"
        with new_tenant(creator.tenant.api) as other:
            theirs = other.client.data("GET", f"/projects/{other.project_id}/program-health")
        assert theirs["alerts"]["tracking_gaps"]["broken_connections"]["count"] == 0

    def test_a_refused_connection_is_reported_while_it_is_retried(
        self, creator: Creator, handles: list[str]
    ) -> None:
        creator.connect(handles[0])
        path = f"/projects/{creator.tenant.project_id}/program-health"
        with creator.tenant.api.store.write_session() as session:
            connection = session.scalars(
                select(AccountConnection).filter_by(account_id=UUID(creator.account_id))
            ).one()
            connection.refused_since = datetime(2026, 9, 8, tzinfo=UTC)
            connection.retry_at = datetime(2026, 9, 8, 1, tzinfo=UTC)
        gaps = creator.tenant.client.data("GET", path)["alerts"]["tracking_gaps"]
        assert gaps["broken_connections"]["count"] == 0
        assert gaps["refused_connections"] == {
            "count": 1,
            "accounts": [
                {
                    "account_id": creator.account_id,
                    "creator_id": creator.made["id"],
                    "platform": "tiktok",
                    "handle": handles[0],
                    "refused_since": "2026-09-08T00:00:00Z",
                    "retry_at": "2026-09-08T01:00:00Z",
                }
            ],
        }
        account = creator.account()
        assert account["connected"] is True
        assert account["connection"]["refused_since"] == "2026-09-08T00:00:00Z"
