"""A retracted import counts in no run, as if it had never been ingested."""

from pathlib import Path
from time import process_time
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.dbt_project import statements
from tests.dbt_project.changed_worlds import FIRST_RUN, SECOND_RUN, ZONES, columns_of, marts_of
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import zone_offsets
from tests.dbt_project.stories import as_copied
from tests.dbt_project.test_same_bytes import OF_THE_RUN
from tests.dbt_project.touched_causes import CauseWorld
from tests.oracles.payout_world import ACCOUNT, OWNER, at


class World(CauseWorld):
    """Two readings come from the import: a late one and the last one of its post."""

    def __init__(self) -> None:
        super().__init__("cpm", "UTC", is_backfilled=False)
        self.scraped = {name: [*rows] for name, rows in self.observed.items()}
        for day in (6, 10):
            self.read(self.own_post, at(day, 20), 599_800)
            self.follow(ACCOUNT, at(day, 20), 9_000)
        self.imported = {
            name: self.observed[name][len(self.scraped[name]) :]
            for name in ("video_snapshots", "account_snapshots")
        }


def harness(folder: Path, world: World) -> Harness:
    folder.mkdir()
    home = Harness(folder)
    tables = {name: [columns_of(name, row) for row in rows] for name, rows in world.tables.items()}
    home.decide(**as_copied({**tables, "zone_offsets": [*zone_offsets(ZONES)]}))
    home.ingest(**world.scraped)
    return home


@pytest.mark.slow
def test_a_retracted_import_counts_in_no_run(tmp_path: Path) -> None:
    world = World()
    never, home = harness(tmp_path / "never", world), harness(tmp_path / "home", world)
    never.run(as_of=FIRST_RUN)
    without = marts(never)
    home.ingest(**world.imported)
    home.run(as_of=FIRST_RUN)
    assert marts(home) != without
    retracted = {"id": UUID(int=2), **OWNER, "retracted_at": SECOND_RUN}
    home.decide(imports=[retracted])
    retraction = home.run(as_of=FIRST_RUN)
    assert retraction.is_full_refresh
    assert marts(home) == without
    statements.build(home.path, retraction, is_tested=True)
    world.read(world.own_post, at(11), 9_000)
    for each in (never, home):
        each.ingest(video_snapshots=world.observed["video_snapshots"][-1:])
        assert not each.run(as_of=SECOND_RUN).is_full_refresh
    assert marts(home) == marts(never)


@pytest.mark.slow
def test_a_thousand_retractions_cost_little_more_than_one(tmp_path: Path) -> None:
    home, seconds = harness(tmp_path / "home", World()), []
    with home.connect() as connection:
        connection.execute(
            "insert into raw.video_snapshots by name select batch_seq, gen_random_uuid() as"
            " video_id, timestamptz '2026-03-01' as captured_at, true as is_exact"
            " from range(1000, 2000) as batches (batch_seq), range(500)"
        )
        connection.execute(
            "insert into raw.batches by name select seq as batch_seq,"
            " cast(lpad(cast(seq as varchar), 32, '0') as uuid) as batch_id, 'import' as kind,"
            " timestamptz '2026-03-01' as ingested_at, 0 as video_snapshots,"
            " 0 as account_snapshots, 0 as scrape_outcomes from range(1000, 3000) as batches (seq)"
        )
    for retracted in (1, 1000):
        ids = [UUID(f"{number:032}") for number in range(2000, 2000 + retracted)]
        home.decide(imports=[{"id": each, **OWNER, "retracted_at": FIRST_RUN} for each in ids])
        run = home.begin(as_of=FIRST_RUN)
        assert run.retracted.count(",") == retracted - 1
        home.build(run, "stg_video_snapshots")
        with home.connect() as connection:
            seconds.append(min(seconds_of(connection) for _ in range(3)))
    assert seconds[1] < 10 * seconds[0]


def seconds_of(connection: duckdb.DuckDBPyConnection) -> float:
    began_at = process_time()
    connection.execute("select max(video_id) from staging.stg_video_snapshots").fetchall()
    return process_time() - began_at


def marts(home: Harness) -> dict[str, Any]:
    return {name: home.rows(name) for name in marts_of(home) if name not in OF_THE_RUN}
