"""`backfill` computes a range of days again and publishes it once."""

from datetime import date, timedelta
from typing import Any

import pytest
from dagster import (
    AssetKey,
    DagsterInstance,
    ExecuteInProcessResult,
)

from orchestration.assembly import build_definitions
from orchestration.partitions import SHARD_DAYS
from orchestration.running.instance import SHARD
from orchestration.running.pipeline import run_job
from orchestration.running.postgresql import open_instance
from orchestration.running.progress import PipelineFailed
from tests.factories.history import day
from tests.factories.machine_clock import clock_ahead
from warehouse.catalogue.raw import INGESTED
from warehouse.connection import open_warehouse
from warehouse.imports.layouts import EARLIEST
from warehouse.operational import clock
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings

DELTAS = "from marts.video_deltas order by all"
DAILY = "from marts.video_daily order by all"
RANGE = (day(0).date(), day(1).date())
DAMAGE = """
    update marts.video_deltas set view_count = -1, view_delta = -1
    where captured_at::date between $first and $last
"""


def served(settings: Settings, query: str) -> list[tuple[Any, ...]]:
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        return cursor.execute(query).fetchall()


def damage(settings: Settings, first: date, last: date) -> None:
    """Make the computed rows of some days wrong, in a way that no pipeline run notices."""
    with open_warehouse(settings) as warehouse:
        warehouse.execute(DAMAGE, {"first": first, "last": last})


def publications(settings: Settings) -> int:
    return len([path for path in settings.publications_path.iterdir() if path.is_dir()])


class TestOfShards:
    """A run's partition is its shard; its days are a tag."""

    def recomputed(self, settings: Settings, days: str) -> ExecuteInProcessResult:
        job = build_definitions(settings).resolve_job_def("recompute")
        with DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions("shard", ["main"])
            return job.execute_in_process(
                instance=instance,
                partition_key="main",
                tags={SHARD_DAYS: days},
                raise_on_error=False,
            )

    @pytest.mark.slow
    def test_the_days_of_the_tag_are_recomputed(self, lived: Settings) -> None:
        before = served(lived, DELTAS)
        damage(lived, *RANGE)
        result = self.recomputed(lived, f"{RANGE[0]}/{RANGE[1]}")
        assert result.success
        assert result.dagster_run.tags[SHARD] == "main"
        made = result.get_asset_materialization_events()
        assert {event.partition for event in made} == {"main"}
        assert served(lived, DELTAS) == before

    @pytest.mark.slow
    def test_a_tag_without_valid_days_ends_the_run_with_the_format(self, lived: Settings) -> None:
        result = self.recomputed(lived, "yesterday")
        [failed] = [event for event in result.all_events if event.is_step_failure]
        assert "FIRST/LAST" in str(failed.step_failure_data.user_failure_data.description)


@pytest.mark.slow
def test_a_warehouse_that_was_emptied_for_other_members_publishes_nothing(
    lived: Settings,
) -> None:
    """The state after a run that copied the new members and failed before ingesting all batches."""
    before = served(lived, DELTAS)
    for ingested in (2, 0):
        with open_warehouse(lived) as warehouse:
            for table in INGESTED:
                if "batch_seq" in table.column_names:
                    warehouse.execute(f"delete from {table.relation} where batch_seq > {ingested}")
            warehouse.execute("drop schema control cascade")
        with pytest.raises(PipelineFailed, match="lacks batches: run `tracker run --no-scrape`"):
            run_job(lived, "recompute")
        assert served(lived, DELTAS) == before
    run_job(lived, "rollup")
    assert served(lived, DELTAS) == before


@pytest.mark.slow
def test_a_builder_with_a_wrong_clock_publishes_nothing(
    lived: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = publications(lived)
    monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(minutes=20)))
    with pytest.raises(PipelineFailed, match=r"1200 s ahead of PostgreSQL's: synchronize both"):
        run_job(lived.model_copy(update={"now": None}), "recompute")
    assert publications(lived) == before


@pytest.mark.slow
def test_a_backfill_from_before_the_first_reading_recomputes_the_days_since(
    lived: Settings,
) -> None:
    """Rows computed for those days are recomputed and published once."""
    before = served(lived, DELTAS), served(lived, DAILY)
    damage(lived, *RANGE)
    made = publications(lived)
    run_job(lived, "recompute", days=(EARLIEST.date(), RANGE[1]))
    assert (served(lived, DELTAS), served(lived, DAILY)) == before
    assert publications(lived) == made + 1
    with open_warehouse(lived) as warehouse:  # the last day has ended in all zones
        ends = warehouse.sql("select backfill_to::date from control.run").fetchall()
    assert ends == [(RANGE[1] + timedelta(days=2),)]
    with open_instance(lived) as instance:
        made_of = instance.get_materialized_partitions(AssetKey(["marts", "creator_daily"]))
    assert made_of == {"main"}
