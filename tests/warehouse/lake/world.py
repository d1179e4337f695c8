"""An installation with a lake, and an analyst's view of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import duckdb

from tests.factories.marts import FEW, History, Video, create_marts, fill_marts
from warehouse.lake.opening import lines_for
from warehouse.lake.writing import bring
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.publication.publish import Publication, publish
from warehouse.settings import Settings

MARCH = datetime(2026, 3, 10, tzinfo=UTC)
MAY = datetime(2026, 5, 10, tzinfo=UTC)
Readings = dict[datetime, dict[str, int | None]]
TABLES = (*FEW, "accounts", "campaigns", "creators")
"""Some marts of each kind, and those that assign rows to projects."""
SUM_OF_VIEWS = "select sum(view_delta)::bigint from video_deltas"


@dataclass
class World:
    """Publishes a video's readings and writes the publication to the lake."""

    settings: Settings
    store: OperationalStore
    warehouse: duckdb.DuckDBPyConnection
    duckdb: duckdb.DuckDBPyConnection
    """The analyst's connection; loading extensions takes longer than queries."""
    organization: UUID = field(default_factory=uuid4)
    project: UUID = field(default_factory=uuid4)

    def publish(self, as_of: datetime, readings: Readings) -> Publication:
        video = Video(f"video of {self.project}", readings)
        placed = {"organization": self.organization, "project": self.project}
        fill_marts(self.warehouse, History(videos=[video], **placed))
        return publish(self.settings, self.warehouse, as_of=as_of)

    def live(self, as_of: datetime, readings: Readings) -> Publication:
        published = self.publish(as_of, readings)
        self.bring()
        return published

    def bring(self, *, ahead: timedelta = timedelta()) -> None:
        clock = lambda: datetime.now(UTC) + ahead  # noqa: E731  as short as it gets
        bring(self.settings, self.store, clock)

    @contextmanager
    def shard(self, name: str, folder: Path) -> Iterator["World"]:
        """Yield another shard's process with its own warehouse and organization."""
        with duckdb.connect(folder / f"{name}.duckdb", config={"threads": 1}) as warehouse:
            create_marts(warehouse, TABLES)
            with self.store.write_session() as session:
                session.add(Shard(name=name))
            settings = self.settings.model_copy(update={"shard": name})
            own = {"organization": uuid4(), "project": uuid4()}
            yield replace(self, settings=settings, warehouse=warehouse, **own)

    @contextmanager
    def analyst(self, role: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a DuckDB after the printed statements; undo them at the end."""
        lines = lines_for(self.settings, self.store, role)
        try:
            for line in lines:
                filled = line.replace("'KEY'", "'key'").replace("'SECRET'", "'secret'")
                self.duckdb.execute(filled)
            yield self.duckdb
        finally:
            self.duckdb.execute("use memory.main; detach database if exists lake")
            if len(lines) > 1:
                self.duckdb.execute("drop secret __default_s3")

    def views(self) -> int:
        with self.analyst() as connection:
            [(views,)] = connection.execute(SUM_OF_VIEWS).fetchall()
            return int(views)

    def differences(self, publication: Publication) -> dict[str, int]:
        """Count by mart the rows that are only in the lake or only in the publication."""
        with self.analyst() as connection:
            connection.execute(f"attach '{publication.path}' as publication (read_only)")
            marts = connection.execute(
                "select view_name from duckdb_views()"
                " where database_name = 'lake' and schema_name = 'marts'"
            ).fetchall()
            differing = {mart: _differing(connection, mart) for (mart,) in marts}
            connection.execute("detach publication")
            return differing

    def files(self, mart: str) -> list[str]:
        """List a mart's Parquet files from the catalog; none has deleted rows."""
        with self.analyst() as connection:
            return _files(connection, mart)

    def all_files(self) -> set[str]:
        """List the files of all tables of all shards from the catalog."""
        with self.analyst() as connection:
            tables = connection.execute(
                "select schema_name, table_name from duckdb_tables() where database_name = 'lake'"
            ).fetchall()
            return {file for schema, table in tables for file in _files(connection, table, schema)}


def _differing(connection: duckdb.DuckDBPyConnection, mart: str) -> int:
    ours, theirs = f"from lake.marts.{mart}", f"from publication.marts.{mart}"
    [(rows,)] = connection.execute(
        f"select count(*) from ((({ours}) except all ({theirs}))"
        f" union all (({theirs}) except all ({ours})))"
    ).fetchall()
    return int(rows)


def _files(connection: duckdb.DuckDBPyConnection, table: str, schema: str = "main") -> list[str]:
    listed = connection.execute(
        "select data_file, delete_file from"
        f" ducklake_list_files('lake', '{table}', schema => '{schema}')"
    ).fetchall()
    assert [deleted for _, deleted in listed] == [None] * len(listed)
    return [file for file, _ in listed]
