"""Logins and signed links of the connect page, and disconnecting accounts at the platforms.

A link is for one creator, valid for seven days by the real clock. It stops working if the creator
is removed or the organization suspended. Ended connections are rows in PostgreSQL: after a crash,
the next scrape disconnects the rest.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Event
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from sqlalchemy import event

from scrapers.consent.login import Login
from scrapers.consent.registry import disconnecting
from serving_api.http.sessions import REQUEST
from serving_api.kit.services import from_services, services_of
from warehouse.connections.storing import disconnect_all
from warehouse.encryption import Encryption
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

PATH = "/connect"
GOOD_FOR = timedelta(days=7)


class ConnectLinks:
    """Created once per application. `origin` is the public base URL."""

    def __init__(self, secret: bytes, origin: str) -> None:
        self._origin = origin
        self._signed = URLSafeTimedSerializer(
            secret, salt="connect link", signer_kwargs={"digest_method": sha256}
        )

    def path_for(self, creator_id: UUID) -> str:
        return f"{PATH}/{self._signed.dumps(str(creator_id))}"

    def url_for(self, creator_id: UUID) -> str:
        return self._origin + self.path_for(creator_id)

    def creator_of(self, token: str) -> UUID | None:
        """Return the link's creator, or None if it is invalid or expired."""
        try:
            return UUID(self._signed.loads(token, max_age=int(GOOD_FOR.total_seconds())))
        except BadSignature:
            return None

    def redirect_uri(self, platform: str) -> str:
        """Return the callback URL, as registered with the platform."""
        return f"{self._origin}{PATH}/callback/{platform}"


def expiry(now: datetime) -> datetime:
    return now + GOOD_FOR


LoginsByPlatform = Mapping[str, Login]
"""Logins of the platforms that this installation has OAuth credentials for."""

_log = structlog.get_logger(__name__)


class Disconnecting:
    """Disconnects accounts in its own thread, so that no request waits for a platform."""

    def __init__(
        self, store: OperationalStore, encryption: Encryption, logins: LoginsByPlatform
    ) -> None:
        self._store = store
        self._encryption = encryption
        self._disconnect = disconnecting(logins)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="disconnecting")
        self._is_closed = Event()

    def soon(self) -> None:
        """Schedule disconnecting all ended connections."""
        self._thread.submit(self._let_go)

    def close(self) -> None:
        """Stop after the current connection; the next crawl disconnects the rest."""
        self._is_closed.set()
        self._thread.shutdown(cancel_futures=True)

    def _let_go(self) -> None:
        try:
            disconnect_all(
                self._store,
                self._encryption,
                self._disconnect,
                lambda: not self._is_closed.is_set(),
            )
        except Exception:
            _log.exception("ending connections failed; the next scrape tries again")


@dataclass(frozen=True, slots=True)
class ConnectPage:
    """Created once per application."""

    logins: LoginsByPlatform
    links: ConnectLinks
    disconnecting: Disconnecting


Logins = Annotated[LoginsByPlatform, from_services(lambda services: services[ConnectPage].logins)]


def disconnect_after(session: WriteSession) -> None:
    """Disconnect the accounts that this session ends, after its commit."""
    request: Request | None = session.info.get(REQUEST)
    if request is None:
        return  # not in a server: the next scrape disconnects them
    disconnecting = services_of(request)[ConnectPage].disconnecting
    event.listen(session, "after_commit", lambda _session: disconnecting.soon())
