"""What Dagster shows and starts by itself, and a snapshot of the graph's shape."""

from pathlib import Path

import pytest
from dagster import AssetKey, DefaultScheduleStatus, DefaultSensorStatus, Definitions

from orchestration.assembly import build_definitions
from orchestration.building.data_tests import data_tests
from orchestration.building.manifests import manifest_json
from orchestration.defs.dbt.marts import mart_specs
from tests.fixtures.operational import settings_for
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.raw import RAW
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

OUTSIDE_DBT = {
    *(f"landing/{platform}" for platform in PLATFORMS),
    "landing/comments",
    "postgres/registry",
    *(f"{table.schema}/{table.name}" for table in (*OPERATIONAL, *RAW)),
    "control/run",
    "control/past",
    "publications/current",
}
MODELS = (node for node in manifest_json()["nodes"].values() if node["resource_type"] == "model")
PUBLISHED = {
    f"{model['schema']}/{model['name']}"
    for model in MODELS
    if model["schema"] in {"marts", "machinery"}
}


@pytest.fixture(scope="module")
def home_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings_for(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def definitions(home_settings: Settings) -> Definitions:
    return build_definitions(home_settings)


def keys(definitions: Definitions) -> set[str]:
    graph = definitions.resolve_asset_graph()
    return {key.to_user_string() for key in graph.materializable_asset_keys}


class TestDefinitions:
    def test_dagster_finds_nothing_wrong_with_them(self, definitions: Definitions) -> None:
        Definitions.validate_loadable(definitions)

    def test_every_box_of_the_flow_is_an_asset(self, definitions: Definitions) -> None:
        assert keys(definitions) == OUTSIDE_DBT | PUBLISHED

    def test_every_asset_in_the_graph_has_a_producer(self, definitions: Definitions) -> None:
        graph = definitions.resolve_asset_graph()
        assert graph.get_all_asset_keys() - graph.materializable_asset_keys == set()

    def test_every_data_test_is_reported_by_one_check_under_its_readable_name(
        self, definitions: Definitions
    ) -> None:
        graph = definitions.resolve_asset_graph()
        check_lines = [
            (key.asset_key.to_user_string(), line)
            for key in graph.asset_check_keys
            for line in (graph.get_check_spec(key).description or "").splitlines()
            if key.name == "data_tests"
        ]
        tests = data_tests(manifest_json()).values()
        assert sorted(line for _, line in check_lines) == sorted(
            f"- **{test.title}**: {test.description}" for test in tests
        )
        title = "**creator_daily: one row for each creator and day**"
        assert [asset for asset, line in check_lines if title in line] == ["marts/creator_daily"]
        below = {asset for asset, line in check_lines if "**stg_" in line or "**int_" in line}
        assert below == {"control/run"}

    def test_a_mart_comes_from_the_tables_and_marts_behind_its_models(
        self, definitions: Definitions
    ) -> None:
        graph = definitions.resolve_asset_graph()
        parents = graph.get(AssetKey(["marts", "video_deltas"])).parent_keys
        assert {AssetKey(["control", "run"]), AssetKey(["raw", "video_snapshots"])} <= parents

    def test_the_publication_follows_everything_that_is_in_it(
        self, definitions: Definitions
    ) -> None:
        graph = definitions.resolve_asset_graph()
        publication = graph.get(AssetKey(["publications", "current"]))
        assert {key.to_user_string() for key in publication.parent_keys} >= PUBLISHED

    def test_everything_that_is_served_comes_from_the_platforms(
        self, definitions: Definitions
    ) -> None:
        graph = definitions.resolve_asset_graph()
        ancestors = {AssetKey(["marts", "creator_daily"])}
        while parents := {p for key in ancestors for p in graph.get(key).parent_keys} - ancestors:
            ancestors |= parents
        assert {AssetKey(["landing", "tiktok"]), AssetKey(["landing", "instagram"])} <= ancestors

    def test_jobs_schedules_and_sensors(self, definitions: Definitions) -> None:
        repository = definitions.get_repository_def()
        jobs = {job.name for job in repository.get_all_jobs()} - {"__ASSET_JOB"}
        assert jobs == {
            "pipeline",
            "pipeline_without_comments",
            "scrape",
            "comments",
            "rollup",
            "recompute",
            "share",
        }
        assert {schedule.name: schedule.cron_schedule for schedule in repository.schedule_defs} == {
            "due_fetches": "*/10 * * * *",
            "hourly_comments": "30 * * * *",
        }
        assert {
            sensor.name: sensor.minimum_interval_seconds for sensor in repository.sensor_defs
        } == {
            "shards": 5,
            "landed_batches": 5,
            "changed_decisions": 5,
            "queued_scrape_jobs": 5,
            "unshared_publication": 60,
            "old_runs": 600,
        }

    def test_schedules_and_sensors_run_from_the_start(self, definitions: Definitions) -> None:
        repository = definitions.get_repository_def()
        assert {s.default_status for s in repository.sensor_defs} == {DefaultSensorStatus.RUNNING}
        assert {s.default_status for s in repository.schedule_defs} == {
            DefaultScheduleStatus.RUNNING
        }

    def test_the_module_that_dagster_loads_takes_its_settings_from_the_environment(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("TRACKER_HOME", str(tmp_path))
        monkeypatch.setattr("warehouse.logs.log_to_stderr", lambda: None)  # for a whole process
        from orchestration.definitions import defs  # noqa: PLC0415  reads the environment

        assert keys(defs) >= OUTSIDE_DBT


def test_a_column_without_a_type_stops_no_command() -> None:
    """Analysts may omit `data_type` in the YAML of their own models."""
    manifest, mart = manifest_json(), "model.creator_tracker.videos"
    untyped = {"note": {"name": "note", "data_type": None, "description": ""}}
    node = {**manifest["nodes"][mart], "columns": untyped}
    specs = mart_specs({**manifest, "nodes": {**manifest["nodes"], mart: node}})
    (column,) = specs[mart].metadata["dagster/column_schema"].columns
    assert (column.name, column.type) == ("note", "unknown")
