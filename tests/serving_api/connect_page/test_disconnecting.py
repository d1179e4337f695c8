"""Telling platforms of consents that are over ends with the server, however many are left."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any, cast

import pytest

from scrapers.consent.login import Login
from scrapers.consent.tokens import Grant
from serving_api.connect_page import service
from tests.factories.tracking import add_account
from warehouse.clock import system_clock
from warehouse.connections import storing
from warehouse.encryption import Encryption
from warehouse.operational.models import AccountConnection
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

is_closing = Event()


class Pool:
    """One thread, which says when it is asked to end."""

    def __init__(self, *_workers: int, **_names: str) -> None:
        self._threads: list[Thread] = []

    def submit(self, work: Callable[[], None]) -> None:
        self._threads.append(Thread(target=work))
        self._threads[-1].start()

    def shutdown(self, *, cancel_futures: bool) -> None:
        assert cancel_futures
        is_closing.set()
        for thread in self._threads:
            thread.join()


class Slow:
    """A login that is still being asked when the server ends."""

    def __init__(self) -> None:
        self.is_asked = Event()
        self.told: list[Grant] = []

    def revoke(self, grant: Grant) -> None:
        self.told.append(grant)
        self.is_asked.set()
        assert is_closing.wait(30)


def test_it_ends_with_the_server_and_leaves_the_rest_to_the_next_crawl(
    store: OperationalStore,
    organization: NewOrganization,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "ThreadPoolExecutor", Pool)
    encryption, now = Encryption(secret_key(settings)), system_clock()
    given: dict[str, Any] = dict.fromkeys(
        ("access_expires_at", "expires_at", "connected_at", "ended_at"), now
    )
    tokens = encryption.encrypt('{"access": "a", "refresh": "r"}', storing.PURPOSE)
    accounts = [add_account(store, organization, f"demo{number}") for number in range(3)]
    with store.write_session() as session:
        for account in accounts:
            session.add(
                AccountConnection(
                    organization_id=organization.organization_id,
                    account_id=account,
                    platform="tiktok",
                    subject=str(account),
                    scopes=[],
                    tokens_encrypted=tokens,
                    **given,
                )
            )
    login = Slow()
    letting = service.Disconnecting(store, encryption, {"tiktok": cast(Login, login)})
    letting.soon()
    assert login.is_asked.wait(30)
    letting.close()
    assert len(login.told) == 1
