"""`tracker backfill` and `tracker rebuild` on an existing history."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.factories.history import day, land_day, roll_up, track
from tests.factories.tracking import add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.orchestration.commands import environment, tracker_here
from tests.orchestration.recomputing.test_backfill import DELTAS, damage, served
from tests.orchestration.recomputing.test_rebuild import contents, log_of
from tests.orchestration.recomputing.test_rebuild import damage as damage_file
from tests.orchestration.recomputing.test_rebuild import served as every_row_served
from warehouse.connection import open_warehouse
from warehouse.operational.models import ShardAssignment
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings
from warehouse.shards.assigning import add_shard

pytestmark = pytest.mark.slow

MARK = "update marts.video_deltas set source = 'marked' where captured_at::date = $day"
"""Marks rows, so that recomputed ones are visible; keeps the sums that data tests compare."""
MARKED = "select distinct captured_at from marts.video_deltas where source = 'marked'"


def in_two_shards(store: OperationalStore) -> None:
    acme, beta = (add_organization(store, name) for name in ("Acme", "Beta"))
    for organization in (acme, beta):
        track(store, organization)
    with store.write_session() as session:
        add_shard(session, "eu")
        session.add(
            ShardAssignment(organization_id=beta.organization_id, shard="eu", served_by="eu")
        )


def test_both_publish_and_report_as_json(lived: Settings) -> None:
    """A range may be today alone: rows of other days stay.

    A rebuild recreates every row of a damaged warehouse and publishes all of them.
    """
    before, served_before = contents(lived), every_row_served(lived)
    with open_warehouse(lived) as warehouse:
        for number in (0, 2):
            warehouse.execute(MARK, {"day": day(number).date()})
    now = {"TRACKER_NOW": day(2).isoformat()}
    env = environment(lived.home, lived.database_url.get_secret_value(), **now)
    days = ["--from", "2026-05-01", "--to", "2026-05-01"]
    backfilled = tracker_here("backfill", *days, "--json", env=env)
    assert backfilled.returncode == 0, backfilled.stderr
    assert served(lived, MARKED) == [(day(0),)]
    damage_file(lived)
    rebuilt = tracker_here("rebuild", "--json", env=env)
    assert rebuilt.returncode == 0, rebuilt.stderr
    first, second = json.loads(backfilled.stdout), json.loads(rebuilt.stdout)
    assert (second["batches"], datetime.fromisoformat(second["as_of"])) == (3, day(2))
    assert contents(lived) == before
    assert every_row_served(lived) == served_before
    assert not log_of(lived).exists()
    assert list((lived.home / "rebuilding").iterdir()) == []
    assert first["publication_id"] != second["publication_id"]
    assert (lived.publications_path / "current.duckdb").resolve() == (
        lived.publications_path / second["publication_id"] / "publication.duckdb"
    )
    assert "Computing marts" in rebuilt.stderr


def test_a_backfill_covers_all_shards_here_and_prints_the_commands_for_others(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    """A shard with a damaged warehouse does not stop the next one."""
    with databases() as url:
        settings = settings_for(tmp_path, url).at(day(0))
        with operational_store(settings) as store:
            in_two_shards(store)
            with store.write_session() as session:
                add_shard(session, "far")
        land_day(settings, 0)
        damaged, main = (settings.of_shard(shard) for shard in ("eu", "main"))
        damaged.warehouse_path.parent.mkdir(parents=True)
        damaged.warehouse_path.write_text("no database")
        with operational_store(main) as store:
            roll_up(main, store)
        before = served(main, DELTAS)
        damage(main, day(0).date(), day(0).date())
        env = environment(tmp_path, url, TRACKER_NOW=day(0).isoformat())
        command = "backfill --from 2026-04-29 --to 2026-04-29"
        backfilled = tracker_here(*command.split(), "--json", env=env)
        assert served(main, DELTAS) == before
    report = json.loads(backfilled.stdout)
    assert (report["shards"].keys(), report["failed"].keys(), report["elsewhere"]) == (
        {"main"},
        {"eu"},
        ["far"],
    )
    assert f"Run there: `TRACKER_SHARD=far tracker {command}`." in backfilled.stderr
    assert backfilled.returncode == 1
