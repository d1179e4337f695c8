"""Dagster's event log in SQLite, with connections that stay open between events.

Dagster opens each database up to seven times per event, and SQLite checkpoints its log at each
close: recorded runs took twice as long. The files are the same as Dagster's. A power cut may lose
the last events only; readings and publications do not depend on them.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from dagster import EventLogEntry, EventLogRecord
from dagster._core.storage.event_log import InMemoryEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.event_log.base import AssetRecord
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event

MOST_OPEN = 8
"""Open databases: that of all runs, and those of the most recently used runs."""


class KeptOpenEventLogStorage(SqliteEventLogStorage):
    """One connection per database, used under the storage's own lock. Settings name this class."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._tables: set[str] = set()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        return cls(inst_data=inst_data, **config_value)

    def has_table(self, table_name: str) -> bool:
        """Return whether the table exists; a positive result is cached."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def delete_events(self, run_id: str) -> None:
        super().delete_events(run_id)
        with self._db_lock:
            if engine := self._engines.pop(run_id, None):
                engine.dispose()
            self._initialized_dbs.discard(run_id)
            path = Path(self.path_for_shard(run_id))
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)

    def dispose(self) -> None:
        super().dispose()
        with self._db_lock:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine, for_index_shard=shard == INDEX_SHARD_NAME)
                self._initialized_dbs.add(shard)
            with engine.begin() as connection:
                yield connection

    def _engine(self, shard: str) -> Engine:
        """Return the database's engine, and close the least recently used one."""
        if shard not in self._engines:
            self._engines[shard] = create_engine(
                self.conn_string_for_shard(shard),
                connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS},
            )
            event.listen(self._engines[shard], "connect", _sync_seldom)
        self._engines.move_to_end(shard)
        if len(self._engines) > MOST_OPEN:
            _, oldest = self._engines.popitem(last=False)
            oldest.dispose()
        return self._engines[shard]


def _sync_seldom(connection: sqlite3.Connection, _record: object) -> None:
    """Sync at checkpoints only, not at each of some 900 commits per run."""
    connection.execute("pragma synchronous = normal")


class UnreadEventLogStorage(InMemoryEventLogStorage):
    """Discards the events of an unrecorded run: its result has them.

    Writing them into a database in memory took a quarter of a small pipeline run. Dagster 1.13
    also reads each asset's last event, of which there is none: that took another sixth.
    """

    def store_event(self, event: EventLogEntry) -> None:
        """Discard the event."""

    def get_asset_records(self, *_: object, **__: object) -> list[AssetRecord]:
        return []

    def _get_event_records(self, *_: object, **__: object) -> list[EventLogRecord]:
        return []
