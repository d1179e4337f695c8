"""`tracker backfill` and `tracker rebuild` on a history that was lived."""

import json
from pathlib import Path

from tests.factories.history import day, land_day, roll_up
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.orchestration.commands import environment, tracker_here
from tests.orchestration.recomputing.test_backfill import DELTAS, damage, served
from tests.orchestration.test_up_of_shards import in_two_shards
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
from warehouse.shards.assigning import add_shard


def test_both_publish_and_report_as_json(lived: Settings) -> None:
    assert lived.database_url is not None
    now = {"TRACKER_NOW": day(2).isoformat()}
    env = environment(lived.home, lived.database_url.get_secret_value(), **now)
    days = ["--from", "2026-04-29", "--to", "2026-05-01"]
    backfilled = tracker_here("backfill", *days, "--json", env=env)
    assert backfilled.returncode == 0, backfilled.stderr
    lived.warehouse_path.unlink()
    rebuilt = tracker_here("rebuild", "--json", env=env)
    assert rebuilt.returncode == 0, rebuilt.stderr
    first, second = json.loads(backfilled.stdout), json.loads(rebuilt.stdout)
    assert second["batches"] == 3
    assert first["publication_id"] != second["publication_id"]
    assert (lived.publications_path / "current.duckdb").resolve() == (
        lived.publications_path / second["publication_id"] / "publication.duckdb"
    )
    assert "Computing marts" in rebuilt.stderr


def test_a_backfill_is_of_all_shards_here_and_says_what_to_run_elsewhere(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    with databases() as url:
        settings = settings_for(tmp_path, url).at(day(0))
        with operational_store(settings) as store:
            in_two_shards(store)
            with store.write_session() as session:
                add_shard(session, "far")
        land_day(settings, 0)
        here = {shard: settings.of_shard(shard) for shard in ("eu", "main")}
        for shard in here.values():
            with operational_store(shard) as store:
                roll_up(shard, store)
        before = {name: served(shard, DELTAS) for name, shard in here.items()}
        for shard in here.values():
            damage(shard, day(0).date(), day(0).date())
        env = environment(tmp_path, url, TRACKER_NOW=day(0).isoformat())
        command = "backfill --from 2026-04-29 --to 2026-04-29"
        backfilled = tracker_here(*command.split(), "--json", env=env)
        assert {name: served(shard, DELTAS) for name, shard in here.items()} == before
    report = json.loads(backfilled.stdout)
    assert (report["shards"].keys(), report["failed"], report["elsewhere"]) == (
        here.keys(),
        {},
        ["far"],
    )
    assert len({shard["publication_id"] for shard in report["shards"].values()}) == len(here)
    assert f"Run there: `TRACKER_SHARD=far tracker {command}`." in backfilled.stderr
    assert backfilled.returncode == 1
