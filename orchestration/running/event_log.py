"""Dagster's event log in SQLite, with connections that stay open between events.

Dagster's own opens each database anew up to seven times an event, and SQLite puts its log away at
each closing: a run took twice as long where it was recorded. The files are Dagster's, as it
writes them itself. A power cut may take the last events with it, and nothing else: what was counted
and published does not depend on them.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from dagster import EventLogEntry
from dagster._core.storage.event_log import InMemoryEventLogStorage, SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event

MOST_OPEN = 8
"""Databases: that of all runs, and of the runs that were written or looked at last."""


class KeptOpenEventLogStorage(SqliteEventLogStorage):
    """One connection a database, used under the storage's own lock. Settings name the class."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._tables: set[str] = set()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Return the storage that Dagster's settings describe."""
        return cls(inst_data=inst_data, **config_value)

    def has_table(self, table_name: str) -> bool:
        """Return whether there is such a table; one that was seen once stays."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def delete_events(self, run_id: str) -> None:
        """Delete the events of a run, and the database that holds none but those."""
        super().delete_events(run_id)
        with self._db_lock:
            if engine := self._engines.pop(run_id, None):
                engine.dispose()
            self._initialized_dbs.discard(run_id)
            path = Path(self.path_for_shard(run_id))
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)

    def dispose(self) -> None:
        """Close everything."""
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
        """Return the database's engine, the last used being the last to be closed."""
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
    """Sync the disk where SQLite's log is taken up, and not at each of some 900 commits a run."""
    connection.execute("pragma synchronous = normal")


class UnreadEventLogStorage(InMemoryEventLogStorage):
    """The event log of a run that nothing records: its result has the events.

    To write them into a database in memory took a quarter of a small pipeline run.
    """

    def store_event(self, event: EventLogEntry) -> None:
        """Leave it."""
