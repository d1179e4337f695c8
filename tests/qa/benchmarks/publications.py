"""Publications against DuckDB's own copy of the same tables, and reads of both."""

from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import UUID

import duckdb

from tests.qa.benchmarks.child import Watch
from warehouse.connection import open_warehouse
from warehouse.control import Run, promote
from warehouse.publication.info import info_of
from warehouse.publication.layout import CURRENT, DATABASE, base_file
from warehouse.publication.publish import publish
from warehouse.settings import MAIN_SHARD, Settings

DAYS_READ = timedelta(days=30)
READ = """
    select
        cast(captured_at as date) as day,
        sum(view_delta) as new_views
    from marts.video_deltas
    where
        video_id in (select video_id from marts.videos where creator_id = $creator_id)
        and captured_at >= $start
        and captured_at < $until
    group by day
    order by day
"""
CREATORS_READ = 200


def publish_run(watch: Watch, home: Path, as_of: datetime, shard: str = MAIN_SHARD) -> None:
    """Publish the latest build, and promote it without timing."""
    settings = Settings(home=home, _env_file=None).of_shard(shard)
    with open_warehouse(settings) as connection:
        with watch.running():
            publish(settings, connection, as_of=as_of)
        promote(connection, last_run(connection))


def publish_whole(watch: Watch, home: Path) -> None:
    """Publish the last run again with a new base: all rows that are not in Parquet."""
    last = _last(home)
    base_file(last).unlink()
    publish_run(watch, home, info_of(last / DATABASE).as_of)


def bytes_of_last(home: Path) -> tuple[int, int]:
    """Return the bytes of the last publication's own files, and those with its base."""
    base = base_file(_last(home))
    files = [file.stat() for file in (_last(home) / DATABASE, *base.parent.iterdir())]
    own = sum(file.st_size for file in files if file.st_nlink == 1)
    return own, own + base.stat().st_size


def _last(home: Path) -> Path:
    return (Settings(home=home, _env_file=None).publications_path / CURRENT).resolve().parent


def copy_database(watch: Watch, source: Path, target: Path) -> None:
    """Copy a DuckDB file's tables unchanged into a new file."""
    target.unlink(missing_ok=True)
    with duckdb.connect(config={"threads": 2}) as connection, watch.running():
        connection.execute(f"attach '{source}' as source (read_only)")
        connection.execute(f"attach '{target}' as target")
        connection.execute("copy from database source to target")
        connection.execute("checkpoint target")


def sort_for_reading(watch: Watch, source: Path, target: Path) -> None:
    """Write the rows for READ into one native file, in reading order."""
    target.unlink(missing_ok=True)
    with duckdb.connect(target, config={"threads": 2}) as connection, watch.running():
        connection.execute(f"attach '{source}' as source (read_only)")
        connection.execute("create schema marts")
        connection.execute(
            "create table marts.videos as from source.marts.videos order by video_id"
        )
        connection.execute(
            "create table marts.video_deltas as from source.marts.video_deltas"
            " order by video_id, captured_at"
        )


def read_seconds(home: Path, native: Path, until: datetime) -> tuple[float, float]:
    """Return the median seconds of a creator's 30 days: in the publication, in the native file."""
    published = Settings(home=home, _env_file=None).publications_path / CURRENT
    with (
        duckdb.connect(published, read_only=True) as published_marts,
        duckdb.connect(native, read_only=True) as other,
    ):
        creators = published_marts.execute(
            f"select distinct creator_id from marts.videos order by 1 limit {CREATORS_READ}"
        ).fetchall()
        times = [
            (_read(published_marts, creator, until), _read(other, creator, until))
            for (creator,) in creators
        ]
    return median(first for first, _ in times), median(second for _, second in times)


def _read(connection: duckdb.DuckDBPyConnection, creator: UUID, until: datetime) -> float:
    parameters = {"creator_id": creator, "start": until - DAYS_READ, "until": until}
    began = perf_counter()
    rows = connection.execute(READ, parameters).fetchall()
    seconds = perf_counter() - began
    if not rows:
        raise LookupError(f"creator {creator} was never read")
    return seconds


def last_run(connection: duckdb.DuckDBPyConnection) -> Run:
    cursor = connection.execute("from control.run")
    names = [column[0] for column in cursor.description or ()]
    return Run(**dict(zip(names, cursor.fetchall()[0], strict=True)))
