"""Where processes share the pace of a host: a row of PostgreSQL, by its clock."""

import asyncio
from contextlib import ExitStack
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError
from structlog import get_logger

from orchestration.resources.opened_once import OpenedOnce
from scrapers.transport.hosts import Change, HostState, KeeperAwayError
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.models import HostPace
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

_NOW = text("select extract(epoch from clock_timestamp())::float8")
_LEAVE_WRITING_TO_DISK = text("set local synchronous_commit = off")

_log = get_logger(__name__)


class SharedKeeper:
    """A scrapers.transport.hosts.Keeper for all processes with the same `egress` address.

    It opens its connection at the first request, and closes it with `aclose`.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._store = OpenedOnce(self._open)

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        egress = self._settings.scrape_egress
        return await asyncio.to_thread(_changed, await self._store.get(), egress, host, change)

    async def aclose(self) -> None:
        await self._store.aclose()

    def _open(self, opened: ExitStack) -> OperationalStore:
        try:
            return opened.enter_context(operational_store(self._settings))
        except OperationalStoreError as error:
            raise _away(error) from error


def _changed(
    store: OperationalStore, egress: str, host: str, change: Change
) -> tuple[HostState, float]:
    """Change a host's state, which starts empty, with its row locked; return it and the time.

    That is the database's, read after locking. A power failure may lose the last half second.
    """
    key = {"egress": egress, "host": host}
    row = (HostPace.egress == egress) & (HostPace.host == host)
    try:
        with store.engine.begin() as connection:
            connection.execute(_LEAVE_WRITING_TO_DISK)
            connection.execute(insert(HostPace).values(**key, state={}).on_conflict_do_nothing())
            locked = select(HostPace.state).where(row).with_for_update()
            stored: dict[str, Any] = connection.execute(locked).scalar_one()
            now: float = connection.execute(_NOW).scalar_one()
            state = change(HostState.of_json(stored), now)
            if (changed := state.as_json()) != stored:
                connection.execute(update(HostPace).where(row).values(state=changed))
    except OperationalError as error:
        raise _away(error) from error
    return state, now


def _away(error: Exception) -> KeeperAwayError:
    _log.warning("pace not shared: each process keeps its own", error=type(error).__name__)
    return KeeperAwayError(type(error).__name__)
