"""What the doctor reports about the lake: whether it is readable and up to date."""

import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete

from orchestration.cli.doctor.checks.shards import check_lake
from orchestration.cli.doctor.finding import Installation
from tests.warehouse.lake.conftest import analysts_duckdb, lake_store, world
from tests.warehouse.lake.world import World
from warehouse.operational.models import Shard

pytestmark = pytest.mark.slow

__all__ = ["analysts_duckdb", "lake_store", "world"]

JULY = datetime(2026, 7, 20, tzinfo=UTC)
LATER = JULY + timedelta(hours=6)
READ = {JULY: {"view": 700}}


def findings(world: World) -> list[tuple[str, str]]:
    checked = check_lake(Installation(world.settings, "127.0.0.1", 8000))
    return [(finding.level, f"{finding.message}. {finding.way_out or ''}") for finding in checked]


def last_of(world: World) -> str:
    """The shards whose latest publication the lake has; checks that the answer time is reported."""
    [(level, message)] = findings(world)
    assert level == "ok"
    answered = re.fullmatch(r"answers in \d+ ms: has the latest publications of (.+)\. ", message)
    assert answered, message
    return answered[1]


def test_it_names_the_shards_whose_last_publication_is_missing(
    world: World, tmp_path: Path
) -> None:
    [(level, message)] = findings(world)
    assert (level, message.split(".")[0]) == ("warn", "it is empty")
    world.live(JULY, READ)
    assert last_of(world) == "main"
    world.publish(LATER, READ)
    [(level, message)] = findings(world)
    assert (level, message.split(". ")[0]) == (
        "warn",
        "main: as of 2026-07-20T00:00:00+00:00, published as of 2026-07-20T06:00:00+00:00",
    )
    with world.shard("far-east", tmp_path) as other:
        other.publish(JULY, READ)
        assert ("warn", "far-east: missing, published as of 2026-07-20T00:00:00+00:00") in [
            (level, message.split(". ")[0]) for level, message in findings(world)
        ]
        other.live(LATER, READ)
    world.live(LATER, READ)
    assert last_of(world) == "main, far-east"


def test_it_names_a_removed_shard_until_it_is_gone(world: World, tmp_path: Path) -> None:
    world.live(JULY, READ)
    with world.shard("gone", tmp_path) as other:
        other.live(JULY, READ)
    with world.store.write_session() as session:
        session.execute(delete(Shard))
    shutil.rmtree(world.settings.of_shard("gone").shard_path)
    [(level, message)] = findings(world)
    assert (level, message.split(",")[0]) == ("warn", "has shard_gone of a removed shard")
    world.live(LATER, READ)
    assert [level for level, _ in findings(world)] == ["ok"]


def test_lost_files_are_reported_with_the_way_to_rebuild_the_lake(world: World) -> None:
    world.live(JULY, READ)
    shutil.rmtree(str(world.settings.lake_path))
    [(level, message)] = findings(world)
    assert (level, message.startswith("cannot be read: "), "`tracker lake forget`" in message) == (
        "bad",
        True,
        True,
    )
    world.settings.lake_url = None
    assert findings(world) == []
