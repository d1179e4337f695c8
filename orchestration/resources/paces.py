"""Where processes share the pace of a host: PostgreSQL, or Redis if configured."""

import asyncio
import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError
from sqlalchemy import Connection, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError
from structlog import get_logger

from orchestration.resources.opened_once import OpenedOnce
from scrapers.transport.hosts import Change, HostState, KeeperAwayError
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.models import HostPace
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

State = dict[str, Any]

_NOW = text("select extract(epoch from clock_timestamp())::float8")
_LEAVE_WRITING_TO_DISK = text("set local synchronous_commit = off")
REDIS_TIMEOUT_SECONDS = 0.25
REDIS_TTL_SECONDS = 24 * 3600

_log = get_logger(__name__)


class SharedKeeper:
    """A scrapers.transport.hosts.Keeper for all processes with the same `egress` address.

    It opens its connection at the first request, and closes it with `aclose`.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._holder = OpenedOnce(self._open)

    async def change(self, host: str, change: Change) -> tuple[HostState, float]:
        return await asyncio.to_thread(_changed, await self._holder.get(), host, change)

    async def aclose(self) -> None:
        await self._holder.aclose()

    def _open(self, opened: ExitStack) -> "_Redis | _Postgresql":
        egress = self._settings.scrape_egress
        if url := self._settings.redis_url:
            client = _redis(url.get_secret_value())
            opened.callback(client.close)
            return _Redis(client, egress)
        try:
            store = opened.enter_context(operational_store(self._settings))
        except OperationalStoreError as error:
            raise _away(error) from error
        return _Postgresql(store, egress)


class _Postgresql:
    """One row per host; uses the database's clock."""

    def __init__(self, store: OperationalStore, egress: str) -> None:
        self._store = store
        self._egress = egress

    def change(self, host: str, change: Callable[[State, float], State]) -> None:
        try:
            with self._store.engine.begin() as connection:
                _change_row(connection, self._egress, host, change)
        except OperationalError as error:
            raise _away(error) from error


class _Redis:
    """One key per host; uses Redis' clock."""

    def __init__(self, client: Redis, egress: str) -> None:
        self._client = client
        self._egress = egress

    def change(self, host: str, change: Callable[[State, float], State]) -> None:
        key = f"tracker:pace:{self._egress}:{host}"

        def attempt(pipe: Pipeline) -> None:
            stored = cast(bytes | None, pipe.get(key))
            seconds, microseconds = cast(tuple[int, int], pipe.time())
            changed = change(json.loads(stored) if stored else {}, seconds + microseconds / 1e6)
            pipe.multi()
            pipe.set(key, json.dumps(changed), ex=REDIS_TTL_SECONDS)

        try:
            self._client.transaction(attempt, key)
        except RedisError as error:
            raise _away(error) from error


def _changed(holder: _Redis | _Postgresql, host: str, change: Change) -> tuple[HostState, float]:
    """Change the state stored as JSON; return it and the time."""
    seen: list[tuple[HostState, float]] = []

    def changed(stored: dict[str, Any], at: float) -> State:
        seen[:] = [(change(HostState.of_json(stored), at), at)]
        return seen[0][0].as_json()

    holder.change(host, changed)
    return seen[0]


def _redis(url: str) -> Redis:
    return Redis.from_url(
        url, socket_timeout=REDIS_TIMEOUT_SECONDS, socket_connect_timeout=REDIS_TIMEOUT_SECONDS
    )


def _away(error: Exception) -> KeeperAwayError:
    _log.warning("pace not shared: each process keeps its own", error=type(error).__name__)
    return KeeperAwayError(type(error).__name__)


def _change_row(
    connection: Connection, egress: str, host: str, change: Callable[[State, float], State]
) -> None:
    """Change a host's state, which starts empty, with its row locked.

    `change` gets the database's time, read after locking. A power failure may lose the last half
    second.
    """
    connection.execute(_LEAVE_WRITING_TO_DISK)
    key = {"egress": egress, "host": host}
    connection.execute(insert(HostPace).values(**key, state={}).on_conflict_do_nothing())
    row = (HostPace.egress == egress) & (HostPace.host == host)
    state: State = connection.execute(
        select(HostPace.state).where(row).with_for_update()
    ).scalar_one()
    changed = change(state, connection.execute(_NOW).scalar_one())
    if changed != state:
        connection.execute(update(HostPace).where(row).values(state=changed))
