"""`tracker backfill` and `tracker rebuild` as people use them, on a history that was lived."""

import json

from tests.factories.history import day
from tests.orchestration.commands import environment, tracker
from warehouse.settings import Settings


def test_both_publish_and_report_as_json(lived: Settings) -> None:
    assert lived.database_url is not None
    now = {"TRACKER_NOW": day(2).isoformat()}
    env = environment(lived.home, lived.database_url.get_secret_value(), **now)
    days = ["--from", "2026-04-29", "--to", "2026-05-01"]
    backfilled = tracker("backfill", *days, "--json", env=env)
    assert backfilled.returncode == 0, backfilled.stderr
    lived.warehouse_path.unlink()
    rebuilt = tracker("rebuild", "--json", env=env)
    assert rebuilt.returncode == 0, rebuilt.stderr
    first, second = json.loads(backfilled.stdout), json.loads(rebuilt.stdout)
    assert second["batches"] == 3
    assert first["publication_id"] != second["publication_id"]
    assert (lived.publications_path / "current.duckdb").resolve() == (
        lived.publications_path / second["publication_id"] / "publication.duckdb"
    )
    assert "Computing marts" in rebuilt.stderr
