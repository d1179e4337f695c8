"""`rebuild` restores the same warehouse and the same publication from the archive."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.building.results import NodeResult
from orchestration.running import rebuild as module
from orchestration.running.progress import PipelineFailed, silent
from orchestration.running.rebuild import rebuild
from tests.factories.history import HANDLES, POSTS, day, land_day, live_through, roll_up, track
from tests.factories.machine_clock import clock_ahead
from warehouse.connection import open_warehouse
from warehouse.landing.archive import segments
from warehouse.landing.batches import registered
from warehouse.operational import clock
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

Tables = dict[str, list[tuple[Any, ...]]]
READINGS_A_DAY = len(HANDLES) * POSTS
TABLES = """
    select schema_name || '.' || table_name
    from duckdb_tables()
    where
        (
            schema_name in ('raw', 'operational', 'marts', 'machinery')
            and table_name not in ('copied_tables', 'comment_scorings', 'unpublished_changes')
        )
        or (schema_name = 'control' and table_name not in ('run', 'published', 'contents'))
"""
"""The inputs and results of a run.

Left out is how it got there: intermediate tables, copied transactions, pending changes, comment
scorings and statements.
"""


def contents(settings: Settings) -> Tables:
    """Every row of the warehouse's tables, except those that identify the run."""
    with open_warehouse(settings) as warehouse:
        return {
            name: warehouse.sql(f"from {name} order by all").fetchall()
            for (name,) in warehouse.sql(TABLES).fetchall()
            if name != "marts.run"
        }


def served(settings: Settings) -> Tables:
    """Every row of every mart in the current publication, except those that identify the run."""
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        names = cursor.execute(
            "select table_schema || '.' || table_name from information_schema.tables"
            " where table_schema in ('marts', 'machinery')"
        ).fetchall()
        return {
            name: cursor.execute(f"from {name} order by all").fetchall()
            for (name,) in names
            if name not in {"marts.run", "marts.publication"}
        }


def log_of(settings: Settings) -> Path:
    return Path(f"{settings.warehouse_path}.wal")


def leave_log(settings: Settings) -> None:
    """Write to the warehouse as a writer does that is killed before its checkpoint."""
    with duckdb.connect(settings.warehouse_path) as writer:
        writer.execute("set checkpoint_threshold = '1 GB'")
        writer.execute("pragma disable_checkpoint_on_shutdown")
        writer.execute("create table raw.stray as select 1 as a")
    assert log_of(settings).exists()


def delete(settings: Settings) -> None:
    settings.warehouse_path.unlink()


def damage(settings: Settings) -> None:
    settings.warehouse_path.write_bytes(b"no database" * 1000)
    log_of(settings).write_bytes(b"no log either")


@pytest.mark.soak  # with `damage`, test_commands compares the same in every run
@pytest.mark.parametrize("befalls", [damage, delete, leave_log])
def test_every_table_and_every_mart_come_out_as_they_were(
    lived: Settings, lived_store: OperationalStore, befalls: Any
) -> None:
    before, served_before = contents(lived), served(lived)
    assert len(before["raw.video_snapshots"]) == 3 * READINGS_A_DAY
    assert len(served_before["marts.video_deltas"]) == 3 * READINGS_A_DAY
    befalls(lived)
    result = rebuild(lived, lived_store, on_progress=silent)
    assert (result.batches, result.as_of) == (3, day(2))
    assert contents(lived) == before
    assert served(lived) == served_before
    assert not log_of(lived).exists()
    assert list((lived.home / "rebuilding").iterdir()) == []


def test_a_rebuild_ingests_pending_batches_and_the_next_run_continues(
    store: OperationalStore, organization: NewOrganization, settings: Settings
) -> None:
    track(store, organization)
    live_through(settings, 1)
    land_day(settings, 1)
    register_landed(store, settings)
    rebuild(settings.at(day(1)), store, on_progress=silent)
    assert len(served(settings)["marts.video_deltas"]) == 2 * READINGS_A_DAY
    assert registered(settings.landing_path) == []
    archived = [
        batch.batch_seq for part in segments(settings.landing_path) for batch in part.batches
    ]
    assert archived == [1, 2]
    land_day(settings, 2)
    roll_up(settings.at(day(2)), store)
    with open_warehouse(settings) as warehouse:
        run = warehouse.sql("select is_full_refresh, from_batch_seq from control.run").fetchone()
    assert run == (False, 2)
    assert len(served(settings)["marts.video_deltas"]) == 3 * READINGS_A_DAY


class TestNothingChangedBefore:
    def test_a_wrong_clock_ends_it(
        self, lived: Settings, lived_store: OperationalStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before, publication = lived.warehouse_path.read_bytes(), served(lived)
        monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(minutes=20)))
        real = lived.model_copy(update={"now": None})
        with pytest.raises(PipelineFailed, match=r"compute: .* 1200 s ahead of PostgreSQL's"):
            rebuild(real, lived_store, on_progress=silent)
        assert lived.warehouse_path.read_bytes() == before
        assert served(lived) == publication

    def test_a_batch_missing_from_the_archive_ends_it(
        self, lived: Settings, lived_store: OperationalStore
    ) -> None:
        before = lived.warehouse_path.read_bytes()
        lost = segments(lived.landing_path)[-1]
        shutil.rmtree(lost.path)
        with pytest.raises(PipelineFailed, match=f"missing: {lost.batches[0].batch_id}"):
            rebuild(lived, lived_store, on_progress=silent)
        assert lived.warehouse_path.read_bytes() == before

    def test_a_damaged_file_of_the_archive_ends_it_and_is_named(
        self, lived: Settings, lived_store: OperationalStore
    ) -> None:
        before = lived.warehouse_path.read_bytes()
        file = next(segments(lived.landing_path)[-1].path.glob("*.parquet"))
        file.write_bytes(file.read_bytes()[:-10])
        with pytest.raises(PipelineFailed, match=f"read archive: .*{file.name}"):
            rebuild(lived, lived_store, on_progress=silent)
        assert lived.warehouse_path.read_bytes() == before

    def test_models_that_fail_end_it(
        self, lived: Settings, lived_store: OperationalStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before, publication = lived.warehouse_path.read_bytes(), served(lived)
        red = NodeResult("model.x", "error", "it broke", 0.1, None)
        monkeypatch.setattr(module.executor, "build", lambda *_, **__: [red])
        with pytest.raises(PipelineFailed, match="it broke"):
            rebuild(lived, lived_store, on_progress=silent)
        assert lived.warehouse_path.read_bytes() == before
        assert served(lived) == publication
