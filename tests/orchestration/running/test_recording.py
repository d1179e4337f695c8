"""What a run records in Dagster's history: an event for each mart, and the checks."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from dagster import AssetCheckEvaluation, AssetCheckSeverity, AssetKey, DagsterEvent

from orchestration.building import executor
from orchestration.building.manifests import manifest_json
from orchestration.building.observing import unsound_tables
from orchestration.running.pipeline import run_pipeline
from orchestration.running.postgresql import open_instance
from orchestration.running.progress import PipelineFailed
from tests.dbt_project.statements import break_model
from tests.factories.history import HANDLES, POSTS, day, land_day, track
from tests.factories.tracking import add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.connection import open_warehouse
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

MODEL = "model.creator_tracker."
TWICE = """
    insert into marts.video_daily
    select * replace (uuid() as video_id, day + 3 as day) from marts.video_daily limit 1;
    insert into marts.video_daily from marts.video_daily
    where video_id not in (select video_id from marts.videos);
"""
"""Two rows of one future day for an unknown video, which no run replaces."""
MEND = "delete from marts.video_daily where video_id not in (select video_id from marts.videos)"
MARTS = """
    select table_schema || '/' || table_name, table_type = 'VIEW'
    from information_schema.tables
    where table_schema in ('marts', 'machinery') and table_name <> 'publication'
"""


@pytest.fixture(scope="module")
def recorded(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    """Four recorded days.

    On the second a data test of a table that only observes fails. On the third a test of another
    table fails, and the next run of that day is green. On the fourth a model that only observes
    fails.
    """
    with databases() as url:
        settings = settings_for(tmp_path_factory.mktemp("recorded") / "home", url)
        with operational_store(settings) as store:
            track(store, add_organization(store, "Acme"))
            record_day(settings, 0)
            with pytest.MonkeyPatch.context() as patch:
                let_tests_fail(patch, "recent_looks")
                record_day(settings, 1)
            with open_warehouse(settings) as warehouse:
                warehouse.execute(TWICE)
            with pytest.raises(PipelineFailed, match="video_daily: one row for each video and day"):
                record_day(settings, 2)
            with open_warehouse(settings) as warehouse:
                warehouse.execute(MEND)
            run_pipeline(settings.at(day(2)), scrape=False)
            with pytest.MonkeyPatch.context() as patch:
                break_model(patch, "int_growth_increments")
                record_day(settings, 3)
            yield settings


def let_tests_fail(patch: pytest.MonkeyPatch, model: str) -> None:
    rendered = executor.rendered

    def failing(node_id: str, *, is_full: bool) -> str:
        about = str(manifest_json()["nodes"][node_id].get("attached_node", ""))
        is_one = about.endswith(f".{model}")
        return "from range(2)" if is_one else rendered(node_id, is_full=is_full)

    patch.setattr(executor, "rendered", failing)


def record_day(settings: Settings, number: int) -> None:
    land_day(settings, number)
    run_pipeline(settings.at(day(number)), scrape=False)


def events(settings: Settings, run: int) -> list[DagsterEvent]:
    """The recorded events of a run; runs count from 0 in order of their start."""
    with open_instance(settings) as instance:
        runs = [record.dagster_run.run_id for record in instance.get_run_records(ascending=True)]
        entries = instance.all_logs(runs[run])
    return [entry.dagster_event for entry in entries if entry.dagster_event is not None]


def materialized(settings: Settings, run: int) -> list[tuple[str, dict[str, Any]]]:
    materializations = [
        event.step_materialization_data.materialization
        for event in events(settings, run)
        if event.is_step_materialization
    ]
    return [
        (
            materialization.asset_key.to_user_string(),
            {name: v.value for name, v in materialization.metadata.items()},
        )
        for materialization in materializations
    ]


def evaluated(settings: Settings, run: int) -> list[AssetCheckEvaluation]:
    return [
        event.asset_check_evaluation_data
        for event in events(settings, run)
        if event.event_type_value == "ASSET_CHECK_EVALUATION"
    ]


def marts_of(settings: Settings) -> dict[str, bool]:
    """The marts and internal tables by asset name, and whether each is a view."""
    with open_warehouse(settings, read_only=True) as warehouse:
        return dict(warehouse.execute(MARTS).fetchall())


def test_every_mart_has_one_event_and_intermediate_models_have_none(recorded: Settings) -> None:
    times = Counter(key for key, _ in materialized(recorded, 1))
    assert marts_of(recorded).keys() <= times.keys()
    assert set(times.values()) == {1}
    assert not any(key.startswith(("staging/", "intermediate/")) for key in times)


def test_a_mart_reports_its_rows_written_rows_bytes_and_seconds(recorded: Settings) -> None:
    metadata = dict(materialized(recorded, 1))
    views = {mart for mart, is_view in marts_of(recorded).items() if is_view}
    for mart in marts_of(recorded):
        names = {"seconds"} if mart in views else {
            "seconds", "rows_written", "bytes", "dagster/row_count"
        }  # fmt: skip
        assert names <= metadata[mart].keys(), mart
        assert metadata[mart]["seconds"] >= 0
    posts = len(HANDLES) * POSTS
    deltas = metadata["marts/video_deltas"]
    assert deltas["dagster/row_count"] == 2 * posts
    assert metadata["marts/videos"]["rows_written"] == posts
    assert deltas["bytes"] > 0
    assert deltas["bytes"] % 1024 == 0


def test_a_growing_mart_reports_only_the_runs_rows(recorded: Settings) -> None:
    posts = len(HANDLES) * POSTS
    first, second = (dict(materialized(recorded, run))["marts/video_deltas"] for run in (0, 1))
    assert (first["rows_written"], second["rows_written"]) == (posts, posts)
    assert (first["dagster/row_count"], second["dagster/row_count"]) == (posts, 2 * posts)


def test_tests_that_hold_are_summed_up_by_asset(recorded: Settings) -> None:
    checks = [check for check in evaluated(recorded, 0) if check.check_name == "data_tests"]
    assert all(check.passed for check in checks)
    by_asset = {check.asset_key.to_user_string(): check for check in checks}
    assert len(by_asset) == len(checks)
    creators = by_asset["marts/creator_daily"]
    assert creators.description == "1 of 1 data tests hold"
    assert {name: value.value for name, value in creators.metadata.items()}["failing_tests"] == 0
    assert sum(check.metadata["tests"].value for check in checks) > 100


def test_a_failed_test_is_reported_in_full_although_the_run_ends(recorded: Settings) -> None:
    (failed,) = (check for check in evaluated(recorded, 2) if check.check_name == "data_tests")
    assert not failed.passed
    assert failed.asset_key == AssetKey(["marts", "video_daily"])
    title = "video_daily: one row for each video and day"
    assert failed.description == f"1 of 2 data tests failing: {title}"
    text = failed.metadata[title].value
    assert text.startswith("1 failing rows. No two rows have the same video_id and day")
    assert "models/marts/videos/video_daily.yml" in text


def test_a_repaired_data_test_is_recorded_as_passed(recorded: Settings) -> None:
    about = AssetKey(["marts", "video_daily"])
    (again,) = (check for check in evaluated(recorded, 3) if check.asset_key == about)
    assert again.passed


def test_the_slowest_models_are_reported_with_the_run(recorded: Settings) -> None:
    metadata = dict(materialized(recorded, 1))["control/run"]
    assert metadata["seconds"] > 0
    assert len(metadata["slowest_models"]) == 5
    assert all(seconds >= 0 for seconds in metadata["slowest_models"].values())


def test_an_observing_table_stays_as_published_and_stops_nothing(
    recorded: Settings,
) -> None:
    checks = [check for check in evaluated(recorded, 1) if check.check_name == "data_tests"]
    (failed,) = (check for check in checks if not check.passed)
    assert failed.asset_key == AssetKey(["marts", "recent_looks"])
    assert failed.severity == AssetCheckSeverity.WARN
    assert str(failed.description).endswith("outcome (the published table stays)")
    published = [
        dict(materialized(recorded, run))["publications/current"]["path"] for run in (0, 1, 3)
    ]
    assert [rows_of(path, "max(captured_at) from marts.video_deltas") for path in published] == [
        [(day(0),)],
        [(day(1),)],
        [(day(2),)],
    ]
    assert [rows_of(path, "max(last_at) from marts.recent_looks") for path in published] == [
        [(day(0),)],
        [(day(0),)],
        [(day(2),)],
    ]


def test_a_failing_observing_model_warns_and_stops_nothing(
    recorded: Settings,
) -> None:
    events = dict(materialized(recorded, 4))
    checks = {
        check.asset_key.to_user_string(): check
        for check in evaluated(recorded, 4)
        if check.check_name == "data_tests" and not check.passed
    }
    stale = {f"marts/{name}" for name in unsound_tables([f"{MODEL}int_growth_increments"])}
    assert checks.keys() == {"control/run", *stale}
    assert {check.severity for check in checks.values()} == {AssetCheckSeverity.WARN}
    below = str(checks["control/run"].description)
    assert below.startswith("int_growth_increments failed: Invalid Input Error: no memory; ")
    assert checks["marts/view_forecasts"].description == (
        "1 of 1 data tests not run (the published table stays)"
    )
    path = events["publications/current"]["path"]
    assert rows_of(path, "max(captured_at) from marts.video_deltas") == [(day(3),)]


def rows_of(path: str, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(path, read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return connection.execute(f"select {query}").fetchall()
