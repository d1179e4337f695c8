"""Revoking ended consents stops when the server does, however many are left."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any, cast

import pytest
from sqlalchemy import update

from scrapers.consent.login import Login
from scrapers.consent.tokens import Grant
from serving_api.connect_page import service
from tests.factories.tracking import add_account, change
from tests.fixtures.locks import wait_until_waiting
from warehouse.clock import system_clock
from warehouse.connections import rows, storing
from warehouse.encryption import Encryption
from warehouse.operational.models import Account, AccountConnection
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.secret_key import secret_key
from warehouse.settings import Settings

is_closing = Event()


class Pool:
    """Threads that wait until the pool is shut down."""

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
    """A login whose revocation request is still running when the server stops."""

    def __init__(self) -> None:
        self.is_asked = Event()
        self.told: list[Grant] = []

    def revoke(self, grant: Grant) -> None:
        self.told.append(grant)
        self.is_asked.set()
        assert is_closing.wait(30)


@pytest.fixture
def encryption(settings: Settings) -> Encryption:
    return Encryption(secret_key(settings))


def end_consents(
    store: OperationalStore, organization: NewOrganization, encryption: Encryption, *subjects: str
) -> None:
    """Store an ended connection of each of these people, with an account each."""
    given: dict[str, Any] = dict.fromkeys(
        ("access_expires_at", "expires_at", "connected_at", "ended_at"), system_clock()
    )
    tokens = encryption.encrypt('{"access": "a", "refresh": "r"}', storing.PURPOSE)
    accounts = [add_account(store, organization, f"demo{n}") for n, _ in enumerate(subjects)]
    with store.write_session() as session:
        for account, subject in zip(accounts, subjects, strict=True):
            session.add(
                AccountConnection(
                    organization_id=organization.organization_id,
                    account_id=account,
                    platform="tiktok",
                    subject=subject,
                    scopes=[],
                    tokens_encrypted=tokens,
                    **given,
                )
            )


def test_it_ends_with_the_server_and_leaves_the_rest_to_the_next_crawl(
    store: OperationalStore,
    organization: NewOrganization,
    encryption: Encryption,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "ThreadPoolExecutor", Pool)
    end_consents(store, organization, encryption, "one", "two", "three")
    login = Slow()
    letting = service.Disconnecting(store, encryption, {"tiktok": cast(Login, login)})
    letting.soon()
    assert login.is_asked.wait(30)
    letting.close()
    assert len(login.told) == 1


def test_a_consent_of_two_connections_that_end_at_once_is_revoked_once(
    store: OperationalStore, organization: NewOrganization, encryption: Encryption
) -> None:
    """Each of two workers saw the other's connection, so neither revoked the consent."""
    end_consents(store, organization, encryption, "one", "one")
    remove(store)
    revoked: list[str] = []

    def disconnect_all() -> None:
        storing.disconnect_all(store, encryption, lambda row, _: revoked.append(row.subject))

    with ThreadPoolExecutor(1) as other, store.write_session() as session:
        first = rows.lock_over(session, rows.over(session)[0].id)
        assert first is not None
        assert rows.is_shared(session, first)
        ended = other.submit(disconnect_all)
        wait_until_waiting(store.dsn)
        session.delete(first)
        session.commit()
        ended.result()
    assert revoked == ["one"]


def test_a_consent_whose_process_is_killed_is_revoked_by_the_next(
    store: OperationalStore, organization: NewOrganization, encryption: Encryption
) -> None:
    """The killed process had already deleted the connection."""
    end_consents(store, organization, encryption, "one")
    revoked: list[str] = []

    def kill(*_connection: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        storing.disconnect_all(store, encryption, kill)
    storing.disconnect_all(store, encryption, lambda row, _: revoked.append(row.subject))
    assert revoked == ["one"]


def test_tokens_that_a_renewal_stores_during_a_revocation_are_revoked_too(
    store: OperationalStore, organization: NewOrganization, encryption: Encryption
) -> None:
    end_consents(store, organization, encryption, "one")
    revoked: list[str] = []

    def renew(row: AccountConnection, tokens: str) -> None:
        revoked.append(tokens)
        if len(revoked) == 1:
            renewed = encryption.encrypt("renewed", storing.PURPOSE)
            change(store, AccountConnection, row.id, tokens_encrypted=renewed)

    assert storing.disconnect_all(store, encryption, renew) == 1
    assert revoked[1:] == ["renewed"]


def remove(store: OperationalStore) -> None:
    """Deactivate the accounts without ending their connections."""
    with store.write_session() as session:
        session.execute(update(Account).values(is_active=False))
        session.execute(update(AccountConnection).values(ended_at=None))
