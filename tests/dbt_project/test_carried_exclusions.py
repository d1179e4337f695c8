"""Excluding a post claws back no pay, even for carried views (money.md M8, M13)."""

from collections import defaultdict
from datetime import datetime
from pathlib import Path

from tests.dbt_project.changed_worlds import ZONES, ChangedWorld, columns_of
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import zone_offsets
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.stories import as_copied
from tests.oracles.goals import Row, Tables
from tests.oracles.payout_world import at

Accruals = list[tuple[int, str, int, str]]


class Exact(Ledger):
    ALTERED_SHARE = 0


def run(harness: Harness, world: ChangedWorld, as_of: datetime) -> Accruals:
    """Build the world and return day, kind, amount and status of each accrual."""
    tables: Tables = defaultdict(list, zone_offsets=[*zone_offsets(ZONES)])
    for name, rows in world.tables.items():
        tables[name] += [columns_of(name, row) for row in rows]
    harness.decide(**as_copied(tables))
    harness.run(as_of=as_of)
    return [
        (row["period_start"].day, row["kind"], row["amount_cents"], row["status"])
        for row in accruals(harness)
    ]


def accruals(harness: Harness) -> list[Row]:
    rows = harness.rows("payout_accruals")
    return sorted(rows, key=lambda row: (row["period_start"], row["kind"] != "earning"))


def set_status(world: ChangedWorld, post: Row, instant: datetime, status: str) -> None:
    post["tracking_status"] = status
    world.add("video_statuses", video_id=post["id"], tracking_status=status, valid_from=instant)


def test_carried_views_of_a_paid_period_stay_and_are_paid_once(tmp_path: Path) -> None:
    world, harness = ChangedWorld(), Harness(tmp_path)
    world.cpm("daily", min_impressions=1_000)
    world.assign(1, 9)
    post, other = world.post(at(2)), world.post(at(5))
    for video in (post, other):
        set_status(world, video, at(1), "auto_tracked")
    world.read(post, at(2), 600)
    world.read(post, at(3), 1_100)
    world.read(other, at(5), 600)
    harness.ingest(**world.observed)
    run(harness, world, at(4))
    due = [row for row in accruals(harness) if row["amount_cents"]]
    Exact(0, world.tables).pay(due, at(4, 13), "paid")
    set_status(world, post, at(4, 20), "excluded")
    assert run(harness, world, at(6)) == [
        (3, "earning", 110, "paid"),
        (5, "earning", 0, "final"),
        (6, "earning", 0, "open"),
    ]


def test_excluding_a_post_of_an_unpaid_day_moves_a_cent_between_later_days(tmp_path: Path) -> None:
    """333 views a day total 33.3, 66.6 and 99.9 cents; without the first, 33.3 and 66.6 (M8)."""
    world, harness = ChangedWorld(), Harness(tmp_path)
    world.cpm("daily")
    world.assign(1, 9)
    post, other = world.post(at(2)), world.post(at(3))
    for each in (post, other):
        set_status(world, each, at(1), "auto_tracked")
    world.read(post, at(2), 333)
    world.read(other, at(3), 333)
    world.read(other, at(4), 666)
    harness.ingest(**world.observed)
    assert run(harness, world, at(5)) == [
        (2, "earning", 33, "final"),
        (3, "earning", 34, "final"),
        (4, "earning", 33, "final"),
    ]
    [paid] = [row for row in accruals(harness) if row["period_start"].day == 3]
    Exact(0, world.tables).pay([paid], at(5, 13), "paid")
    set_status(world, post, at(5, 20), "excluded")
    rows = run(harness, world, at(6))
    assert rows == [
        (3, "earning", 34, "paid"),
        (3, "adjustment", -1, "final"),
        (4, "earning", 34, "final"),
    ]
    assert sum(cents for _, _, cents, _ in rows) == 34 + 33
    assert [row["amount_cents"] for row in world.shown(at(6))] == [cents for _, _, cents, _ in rows]
