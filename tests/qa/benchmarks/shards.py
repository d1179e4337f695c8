"""One history computed by several workers, each its shard of the organizations, beside one worker.

What a worker has is its own rows of what everybody has: the copies of its organizations, and what
the archive of batches has of them, which it reads as a worker does that lost its warehouse.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

import duckdb

from tests.qa.benchmarks import models, publications
from tests.qa.benchmarks.child import Watch, measured
from tests.qa.benchmarks.world import ENDS, World, add_day, settings_of
from warehouse.catalogue.operational import FOLLOWED, ZONE_OFFSETS
from warehouse.catalogue.raw import COPIED_TABLES, REGISTERED
from warehouse.connection import open_warehouse, transaction
from warehouse.landing.archive import IngestedBatch, write_records
from warehouse.landing.opening import open_landing
from warehouse.publication.sql import quoted_path
from warehouse.raw.copied_shard import NOTE, rows_of
from warehouse.raw.inserting import insert_archived
from warehouse.shards.members import Members

BATCHES_OF_A_PART = 120
"""A month's, at four a day."""
OF_A_CAMPAIGN = (
    "select campaign_items.*, campaigns.organization_id from everybody.operational.campaign_items"
    " inner join everybody.operational.campaigns on campaigns.id = campaign_items.campaign_id"
)
"""A copied item does not say whose it is; the table that PostgreSQL has does."""
ALL_BATCHES = 2**62
READINGS = "select count(*) from raw.video_snapshots"
ARCHIVE = "archive"
BUILD = ("models", "publication")
DAY = ("models of a day", "publication of a day")


@dataclass(frozen=True)
class Worked:
    """What each step of a worker took, by its name, and the most that was resident."""

    steps: Mapping[str, Watch]
    peak_bytes: int
    readings: int
    """How many it had before the last day."""

    @property
    def build(self) -> float:
        """Seconds of processor from raw rows to a publication."""
        return _seconds(self.steps, BUILD)

    @property
    def day(self) -> float:
        """The same of one more day."""
        return _seconds(self.steps, DAY)

    @property
    def rebuild(self) -> float:
        """Seconds of processor from an empty file to a publication."""
        return _seconds(self.steps, (ARCHIVE, *BUILD))

    @property
    def rebuild_by_clock(self) -> float:
        """The same by the wall clock."""
        return sum(self.steps[name].seconds for name in (ARCHIVE, *BUILD))


def _seconds(steps: Mapping[str, Watch], names: Sequence[str]) -> float:
    return sum(steps[name].cpu_seconds for name in names)


def make_archive(world: World) -> None:
    """Write what the world has of readings into its archive, as compacted parts."""
    days = world.settings.landing_path / "archive" / "days"
    with open_warehouse(world.settings, read_only=True) as connection:
        batches = _batches(connection)
        for start in range(0, len(batches), BATCHES_OF_A_PART):
            _write_part(connection, days, batches[start : start + BATCHES_OF_A_PART])


def _write_part(
    connection: duckdb.DuckDBPyConnection, days: Path, batches: Sequence[IngestedBatch]
) -> None:
    first, last = batches[0].batch_seq, batches[-1].batch_seq
    folder = days / f"{batches[0].day}_{first}-{last}"
    folder.mkdir(parents=True)
    for table in REGISTERED:
        rows = f"from {table.relation} where batch_seq between {first} and {last} order by all"
        connection.execute(
            f"copy ({rows}) to {quoted_path(folder / f'{table.name}.parquet')} (format parquet)"
        )
    write_records(folder, batches)


def _batches(connection: duckdb.DuckDBPyConnection) -> list[IngestedBatch]:
    cursor = connection.execute("from raw.batches order by batch_seq")
    names = [column[0] for column in cursor.description or ()]
    return [IngestedBatch(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def work(world: World, number: int) -> Sequence[Worked]:
    """Let each of `number` workers build its part of the history, and then one more day of it.

    One after the other; what one made is gone when the next begins. Raises Unequal unless all
    together had the history.
    """
    workers = [_worker(world, place, number) for place in range(number)]
    with open_warehouse(world.settings, read_only=True) as connection:
        all_of_them = _readings(connection)
    if (had := sum(worker.readings for worker in workers)) != all_of_them:
        raise models.Unequal(f"{number} workers had {had} of {all_of_them} readings")
    return workers


def _worker(world: World, place: int, number: int) -> Worked:
    output = world.home / "told.json"
    took = measured(run_worker, world.home, place, number, output)
    shutil.rmtree(world.settings.shards_path)
    figures = json.loads(output.read_text(encoding="utf-8"))
    steps = {name: Watch(**step) for name, step in figures["steps"].items()}
    return Worked(steps, took.peak_bytes, figures["readings"])


def run_worker(watch: Watch, home: Path, place: int, number: int, output: Path) -> None:
    """Do all that a worker does in one process, as it would; write what each step took.

    Its shard is every `number`-th organization from `place` on.
    """
    del watch
    shard = f"{place + 1}-of-{number}"
    steps = {name: Watch() for name in (ARCHIVE, *BUILD, *DAY)}
    archive, built, published, day_built, day_published = steps.values()
    readings = read_archive(archive, home, shard, place, number)
    models.run_models(built, home, ENDS, shard)
    publications.publish_run(published, home, ENDS, shard)
    later = add_day(settings_of(home).of_shard(shard), 0)
    models.run_models(day_built, home, later, shard)
    publications.publish_run(day_published, home, later, shard)
    took = {name: asdict(step) for name, step in steps.items()}
    output.write_text(json.dumps({"steps": took, "readings": readings}), encoding="utf-8")


def read_archive(watch: Watch, home: Path, shard: str, place: int, number: int) -> int:
    """Make a shard's warehouse from the archive, as a worker does that lost its own.

    Return how many readings it has.
    """
    everybody = settings_of(home)
    settings = everybody.of_shard(shard)
    settings.shard_path.mkdir(parents=True)
    with open_warehouse(settings) as connection:
        connection.execute(
            f"attach {quoted_path(everybody.warehouse_path)} as everybody (read_only)"
        )
        members = _members(connection, place, number)
        _copy_decisions(connection, members)
        if number > 1:
            connection.execute(NOTE, [members.digest, ALL_BATCHES])
        connection.execute("detach everybody")
        with watch.running(), transaction(connection):
            insert_archived(open_landing(settings), connection, behind=0)
        return _readings(connection)


def _readings(connection: duckdb.DuckDBPyConnection) -> int:
    [(number,)] = connection.execute(READINGS).fetchall()
    return int(number)


def _members(connection: duckdb.DuckDBPyConnection, place: int, number: int) -> Members:
    ids = connection.execute("select id from everybody.operational.organizations order by id")
    own = frozenset(
        UUID(str(organization_id)) for (organization_id,) in ids.fetchall()[place::number]
    )
    return Members(own, rest=False)


def _copy_decisions(connection: duckdb.DuckDBPyConnection, members: Members) -> None:
    """Copy what people decided, of the members alone; few of these tables have rows at all."""
    connection.execute("create schema if not exists operational")
    for table in (*FOLLOWED, ZONE_OFFSETS):
        rows = f"everybody.{table.relation}"
        has_rows = connection.execute(f"from {rows} limit 1").fetchall()
        of = rows_of(members, table) if has_rows and table is not ZONE_OFFSETS else "true"
        source = OF_A_CAMPAIGN if table.name == "campaign_items" else f"from {rows}"
        columns = ", ".join(connection.table(rows).columns)
        connection.execute(
            f"create table {table.relation} as"
            f" select {columns} from ({source}) as {table.name} where {of}"
        )
    connection.execute(COPIED_TABLES.emptied)
    connection.execute(
        f"insert into {COPIED_TABLES.relation} from everybody.{COPIED_TABLES.relation}"
    )
