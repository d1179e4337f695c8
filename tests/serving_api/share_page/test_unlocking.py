"""Unlocking a share page: right and wrong PINs, the lock, and the end of a session."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from itsdangerous import URLSafeTimedSerializer
from itsdangerous.timed import TimestampSigner

from tests.doses import dose
from tests.factories.shared import NAME, PIN, SharedCreator
from warehouse.operational.models import ShareLink
from warehouse.secret_key import secret_key

WRONG = "1111"
MINUTES = timedelta(minutes=1)


def enter(visitor: httpx.Client, shared: SharedCreator, pin: str, **request: Any) -> httpx.Response:
    return visitor.post(shared.path, data={"pin": pin}, **request)


def unlock(visitor: httpx.Client, shared: SharedCreator) -> None:
    assert enter(visitor, shared, PIN).status_code == 303


def is_unlocked(visitor: httpx.Client, shared: SharedCreator) -> bool:
    return NAME in visitor.get(shared.path).text


def link_of(shared: SharedCreator) -> ShareLink:
    with shared.api.store.read_session() as session:
        return session.get_one(ShareLink, UUID(shared.id))


def end_lock(shared: SharedCreator) -> None:
    """Move the end of a lock into the past."""
    with shared.api.store.write_session() as session:
        link = session.get_one(ShareLink, UUID(shared.id))
        link.locked_until = datetime.now(UTC) - timedelta(seconds=1)


def lock(visitor: httpx.Client, shared: SharedCreator) -> httpx.Response:
    """Enter ten wrong PINs; return the last response."""
    return [enter(visitor, shared, WRONG) for _ in range(10)][-1]


class TestForm:
    def test_it_asks_for_the_pin_and_reveals_nothing_of_the_creator(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        response = visitor.get(shared.path)
        assert response.status_code == 200
        assert '<label for="pin">PIN</label>' in response.text
        assert "Lovelace" not in response.text
        assert "demo.creator" not in response.text

    def test_the_pin_opens_the_page(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        for left in (9, 8):
            response = enter(visitor, shared, WRONG)
            assert response.status_code == 403
            assert f"Wrong PIN. {left} attempts left." in response.text
        assert not is_unlocked(visitor, shared)
        response = enter(visitor, shared, PIN)
        assert (response.status_code, response.headers["Location"]) == (303, shared.path)
        assert is_unlocked(visitor, shared)
        assert link_of(shared).failed_unlocks == 0

    @pytest.mark.parametrize("pin", ["", "482", "48211", "abcd", "٤٨٢١", "4821\x00"])
    def test_a_malformed_pin_is_reported_and_not_counted(
        self, shared: SharedCreator, visitor: httpx.Client, pin: str
    ) -> None:
        response = enter(visitor, shared, pin)
        assert response.status_code == 400
        assert "A PIN has exactly 4 digits." in response.text
        assert link_of(shared).failed_unlocks == 0

    def test_pins_are_trimmed(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        assert enter(visitor, shared, f" {PIN} ").status_code == 303

    def test_other_sites_do_not_count(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        elsewhere = {"Origin": "https://elsewhere.invalid", "Sec-Fetch-Site": "cross-site"}
        response = enter(visitor, shared, WRONG, headers=elsewhere)
        assert response.status_code == 403
        assert link_of(shared).failed_unlocks == 0

    @settings(
        max_examples=dose(5, 20),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(
        body=st.binary(max_size=200) | st.just(b"pin=1&" * 40) | st.just(b"x" * 20_000),
        media=st.sampled_from(["application/x-www-form-urlencoded", "multipart/form-data", ""]),
        cookie=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40),
    )
    def test_whatever_is_sent_is_refused_on_a_page(
        self, shared: SharedCreator, visitor: httpx.Client, body: bytes, media: str, cookie: str
    ) -> None:
        headers = {"Content-Type": media, "Cookie": f"share={cookie}"}
        response = visitor.post(shared.path, content=body, headers=headers)
        assert 400 <= response.status_code < 500
        assert visitor.get(shared.path, headers=headers).status_code == 200


class TestLockOut:
    def test_the_tenth_wrong_pin_locks_the_page_for_a_quarter_of_an_hour(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        before = datetime.now(UTC)
        response = lock(visitor, shared)
        assert response.status_code == 429
        assert 0 < int(response.headers["Retry-After"]) <= 15 * 60
        assert "Try again in 15 minutes" in response.text
        assert "<form" not in response.text
        until = link_of(shared).locked_until
        assert until is not None
        assert before < until - 15 * MINUTES < datetime.now(UTC)

    def test_while_it_is_locked_the_right_pin_is_answered_like_a_wrong_one(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        lock(visitor, shared)
        right, wrong = (enter(visitor, shared, pin) for pin in (PIN, WRONG))
        assert (right.status_code, right.text) == (wrong.status_code, wrong.text)
        assert right.status_code == 429
        assert "Set-Cookie" not in right.headers
        assert link_of(shared).failed_unlocks == 10
        looked_at = visitor.get(shared.path)
        assert looked_at.status_code == 200
        assert "Try again in" in looked_at.text

    def test_each_wrong_pin_after_a_lock_locks_for_twice_as_long_up_to_a_day(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        lock(visitor, shared)
        minutes = []
        for _ in range(9):
            end_lock(shared)
            response = enter(visitor, shared, WRONG)
            minutes.append(round(int(response.headers["Retry-After"]) / 60))
        assert minutes == [30, 60, 120, 240, 480, 960, 1440, 1440, 1440]

    def test_the_lock_ends(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        lock(visitor, shared)
        end_lock(shared)
        unlock(visitor, shared)
        assert "9 attempts left" in enter(visitor, shared, WRONG).text

    def test_a_new_pin_ends_the_lock(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        lock(visitor, shared)
        pin = shared.ask("PATCH", json={"regenerate_pin": True})["pin"]
        assert enter(visitor, shared, pin).status_code == 303

    def test_other_changes_do_not(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        lock(visitor, shared)
        shared.ask("PATCH", json={"enabled": False})
        shared.ask("PATCH", json={"enabled": True, "show_payouts": True})
        assert enter(visitor, shared, PIN).status_code == 429

    def test_unlocked_stays_unlocked(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        unlock(visitor, shared)
        lock(visitor, shared)
        assert is_unlocked(visitor, shared)

    def test_concurrent_tries_count(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        with ThreadPoolExecutor(8) as pool:
            answers = Counter(
                pool.map(lambda _: enter(visitor, shared, WRONG).status_code, range(24))
            )
        assert answers == {403: 9, 429: 15}
        assert link_of(shared).failed_unlocks == 10

    def test_tries_outlive_processes(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        for _ in range(9):
            enter(visitor, shared, WRONG)
        with (
            shared.api.changed() as restarted,
            httpx.Client(base_url=restarted.base_url, trust_env=False) as client,
        ):
            assert enter(client, shared, WRONG).status_code == 429
        assert enter(visitor, shared, PIN).status_code == 429


class TestRates:
    def test_an_address_has_ten_tries_a_minute(self, shared: SharedCreator) -> None:
        with (
            shared.api.changed(api_rate_limits=True) as served,
            httpx.Client(base_url=served.base_url, trust_env=False) as client,
        ):
            paths = [f"/share/creator/{uuid4()}" for _ in range(10)]
            tries = [client.post(path, data={"pin": PIN}).status_code for path in paths]
            refused = client.post(shared.path, data={"pin": PIN})
            views = [client.get(shared.path).status_code for _ in range(61)]
        assert tries == [404] * 10
        assert refused.status_code == 429
        assert 0 < int(refused.headers["Retry-After"]) <= 60
        assert "Please wait" in refused.text
        assert views == [200] * 60 + [429]
        assert link_of(shared).failed_unlocks == 0


class TestSessions:
    def test_the_cookie_is_scoped(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        name, *attributes = enter(visitor, shared, PIN).headers["Set-Cookie"].split("; ")
        assert name.startswith("share=")
        assert set(attributes) == {
            "HttpOnly",
            "Max-Age=86400",
            f"Path={shared.path}",
            "SameSite=lax",
        }

    def test_behind_https_its_cookie_is_secure(self, shared: SharedCreator) -> None:
        with (
            shared.api.changed(base_url="https://tracker.invalid") as served,
            httpx.Client(base_url=served.base_url, trust_env=False) as client,
        ):
            assert "; Secure" in enter(client, shared, PIN).headers["Set-Cookie"]

    @pytest.mark.parametrize(
        "change",
        [
            lambda shared: shared.ask("PATCH", json={"pin": "2222"}),
            lambda shared: shared.ask("PATCH", json={"pin": PIN}),
            lambda shared: shared.ask("PATCH", json={"regenerate_pin": True}),
            lambda shared: shared.share(),
            lambda shared: shared.client.data(
                "POST", "/share-links/bulk", json={"creator_ids": [shared.id]}
            ),
            lambda shared: (shared.ask("DELETE"), shared.share()),
        ],
        ids=["pin", "same pin", "regenerate_pin", "replaced", "bulk", "made anew"],
    )
    def test_every_new_pin_ends_all_sessions(
        self, shared: SharedCreator, visitor: httpx.Client, change: Callable[[SharedCreator], Any]
    ) -> None:
        unlock(visitor, shared)
        assert is_unlocked(visitor, shared)
        change(shared)
        assert not is_unlocked(visitor, shared)

    def test_other_changes_end_none(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        unlock(visitor, shared)
        shared.ask("PATCH", json={"enabled": False})
        assert visitor.get(shared.path).status_code == 404
        shared.ask("PATCH", json={"enabled": True, "show_payouts": True})
        assert is_unlocked(visitor, shared)

    def test_sessions_are_per_creator(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        unlock(visitor, shared)
        cookie = visitor.cookies["share"]
        accounts = [{"platform": "tiktok", "handle": f"other{uuid4().hex[:8]}"}]
        body = {"project_id": str(shared.tenant.project_id), "accounts": accounts}
        other = shared.client.data("POST", "/creators", json=body)["id"]
        path = f"/creators/{other}/share-link"
        shared.client.data("POST", path, json={"pin": PIN})
        page = visitor.get(f"/share/creator/{other}", headers={"Cookie": f"share={cookie}"})
        assert 'name="pin"' in page.text

    @pytest.mark.parametrize(
        ("secret", "salt", "age", "opens"),
        [
            (None, "share session", timedelta(0), True),
            (None, "share session", timedelta(hours=23, minutes=59), True),
            (None, "share session", timedelta(hours=24, minutes=1), False),
            (None, "another purpose", timedelta(0), False),
            (b"another secret", "share session", timedelta(0), False),
        ],
    )
    def test_a_session_lasts_a_day_and_is_signed_by_the_server_for_nothing_else(
        self,
        shared: SharedCreator,
        visitor: httpx.Client,
        secret: bytes | None,
        salt: str,
        age: timedelta,
        *,
        opens: bool,
    ) -> None:
        class Earlier(TimestampSigner):
            def get_timestamp(self) -> int:
                return super().get_timestamp() - int(age.total_seconds())

        made = URLSafeTimedSerializer(
            secret or secret_key(shared.api.settings),
            salt=salt,
            signer=Earlier,
            signer_kwargs={"digest_method": sha256},
        ).dumps(str(link_of(shared).pin_id))
        page = visitor.get(shared.path, headers={"Cookie": f"share={made}"})
        assert (NAME in page.text) == opens
