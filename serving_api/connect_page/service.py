"""The logins and links of the connect page, and telling platforms that a connection is over.

What is over is in PostgreSQL, so a process that ends before loses nothing: scrapes see to the rest.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Annotated

import structlog
from fastapi import Request
from sqlalchemy import event

from scrapers.consent.login import Login
from scrapers.consent.registry import disconnecting
from serving_api.connect_page.links import ConnectLinks
from serving_api.http.sessions import REQUEST
from serving_api.kit.services import from_services, services_of
from warehouse.connections.storing import disconnect_all
from warehouse.encryption import Encryption
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

LoginsByPlatform = Mapping[str, Login]
"""The logins of the platforms with which this installation is registered."""

_log = structlog.get_logger(__name__)


class Disconnecting:
    """Works in one thread of its own: nobody waits for a platform."""

    def __init__(
        self, store: OperationalStore, encryption: Encryption, logins: LoginsByPlatform
    ) -> None:
        self._store = store
        self._encryption = encryption
        self._disconnect = disconnecting(logins)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="disconnecting")
        self._is_closed = Event()

    def soon(self) -> None:
        """Let go of everything that is over by now."""
        self._thread.submit(self._let_go)

    def close(self) -> None:
        """End after the one that is under way; the rest is left to the next crawl."""
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
    """Made once for the application."""

    logins: LoginsByPlatform
    links: ConnectLinks
    disconnecting: Disconnecting


Logins = Annotated[LoginsByPlatform, from_services(lambda services: services[ConnectPage].logins)]


def disconnect_after(session: WriteSession) -> None:
    """Disconnect the accounts that the session ends, once it is committed."""
    request: Request | None = session.info.get(REQUEST)
    if request is None:
        return  # no server: the next scrape sees to it
    disconnecting = services_of(request)[ConnectPage].disconnecting
    event.listen(session, "after_commit", lambda _session: disconnecting.soon())
