"""Days and amounts use one state of the time zone database (money.md M2, M3)."""

from collections import defaultdict
from pathlib import Path

import pytest

from tests.dbt_project.changed_worlds import FIRST_RUN, SECOND_RUN, ChangedWorld, columns_of
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Tables
from tests.dbt_project.stories import as_copied
from tests.oracles.payout_world import at

pytestmark = pytest.mark.slow

ZONE = "Asia/Beirut"


def summer_from(day: int) -> list[Row]:
    """Return offsets with summer time from a day of March."""
    winter = {"starts_at": at(1, 0), "ends_at": at(day, 22), "utc_offset_seconds": 7200}
    summer = {"starts_at": at(day, 22), "ends_at": at(31), "utc_offset_seconds": 10800}
    return [{"zone": ZONE, **span} for span in (winter, summer)]


def decide(harness: Harness, world: ChangedWorld, offsets: list[Row]) -> None:
    tables: Tables = defaultdict(list, zone_offsets=offsets)
    for name, rows in world.tables.items():
        tables[name] += [columns_of(name, row) for row in rows]
    harness.decide(**as_copied(tables))


def test_new_zone_data_moves_computed_days(tmp_path: Path) -> None:
    """Summer time began earlier than in the old data: 23:00 of the 7th and 9th is midnight."""
    world, harness = ChangedWorld(ZONE), Harness(tmp_path)
    world.cpm("daily")
    world.assign(1)
    post = world.post(at(2))
    for day in (7, 9):
        world.read(post, at(day, 21), 1_000 * day)
    harness.ingest(**world.observed)
    decide(harness, world, summer_from(10))
    harness.run(as_of=FIRST_RUN)
    assert cents(harness) == {7: 700, 9: 200}
    decide(harness, world, summer_from(5))
    harness.run(as_of=SECOND_RUN)
    assert cents(harness) == {8: 700, 10: 200}


def cents(harness: Harness) -> dict[int, int]:
    rows = harness.rows("payout_accruals")
    return {row["period_start"].day: row["amount_cents"] for row in rows}
