"""Sensors, and the runs that they request for each shard."""

from datetime import UTC, datetime, timedelta

import pytest
from dagster import (
    DagsterEvent,
    DagsterInstance,
    DagsterRun,
    DagsterRunStatus,
    RunRequest,
    build_init_resource_context,
    build_sensor_context,
    partition_loading_context,
)
from dagster._utils.tags import TagConcurrencyLimitsCounter
from sqlalchemy import select, update

from orchestration.assembly import build_definitions, settings_of_run
from orchestration.defs import sensors as defined
from orchestration.partitions import PARTITION, RANGE_FROM, SHARDS, cancel_runs_of_days
from orchestration.running.instance import INSTANCE_SETTINGS, SHARD
from tests.factories.landing import fetch
from tests.factories.tracking import add_organization
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Shard, UnpublishedChange
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import forget
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.assigning import add_shard, remove_shard
from warehouse.shards.serving import ask_for_rollups

RANGE_TO = "dagster/asset_partition_range_end"


class Sensors:
    """The sensors of an installation with several shards."""

    def __init__(
        self, settings: Settings, store: OperationalStore, instance: DagsterInstance
    ) -> None:
        self.repository = build_definitions(settings).get_repository_def()
        self._resources = {"settings": settings, "store": store}
        self._instance = instance

    def requests_of(self, name: str) -> dict[str, RunRequest]:
        with (
            build_sensor_context(
                instance=self._instance, resources=self._resources, repository_def=self.repository
            ) as context,
            partition_loading_context(dynamic_partitions_store=self._instance),
        ):
            data = self.repository.get_sensor_def(name).evaluate_tick(context)
        for each in data.dynamic_partitions_requests or ():
            if "Add" in type(each).__name__:
                self._instance.add_dynamic_partitions(str(SHARDS.name), each.partition_keys)
            for key in each.partition_keys if "Delete" in type(each).__name__ else ():
                self._instance.delete_dynamic_partition(str(SHARDS.name), key)
        requests = data.run_requests or []
        assert len({each.tags[SHARD] for each in requests}) == len(requests)
        return {each.tags[SHARD]: each for each in requests}

    def at_work(
        self, shard: str, status: DagsterRunStatus = DagsterRunStatus.STARTED
    ) -> DagsterRun:
        """Create a rollup of a shard with this status."""
        job = self.repository.get_job("rollup")
        tags = job.get_tags_for_partition_key(shard, selected_asset_keys=None)
        return self._instance.create_run_for_job(job, tags=dict(tags), status=status)


def queue_of(instance: DagsterInstance) -> TagConcurrencyLimitsCounter:
    """The concurrency limits that Dagster's daemon checks before it starts a run."""
    limits = INSTANCE_SETTINGS["run_coordinator"]["config"]["tag_concurrency_limits"]  # type: ignore[index]
    return TagConcurrencyLimitsCounter(limits, instance.get_runs())


def publish_all(store: OperationalStore) -> None:
    with store.write_session() as session:
        ids = session.scalars(select(UnpublishedChange.id)).all()
        for shard in ("main", "eu"):
            forget(session, ids, shard)


def concern_all(store: OperationalStore) -> None:
    with store.write_session() as session:
        ask_for_rollups(session)


@pytest.fixture
def sensors(settings: Settings, store: OperationalStore, instance: DagsterInstance) -> Sensors:
    """With the shards `main` and `eu`, which Dagster knows, and without waiting changes."""
    with store.write_session() as session:
        add_shard(session, "eu")
    publish_all(store)
    sensors = Sensors(settings, store, instance)
    assert sensors.requests_of("shards") == {}
    return sensors


@pytest.mark.slow
def test_partitions_are_the_existing_shards(
    sensors: Sensors, store: OperationalStore, instance: DagsterInstance
) -> None:
    assert set(instance.get_dynamic_partitions("shard")) == {"main", "eu"}
    with store.write_session() as session:
        remove_shard(session, "eu")
    sensors.requests_of("shards")
    assert set(instance.get_dynamic_partitions("shard")) == {"main"}


def test_a_batch_requests_a_rollup_of_each_shard_until_it_is_ingested(
    sensors: Sensors, settings: Settings, store: OperationalStore
) -> None:
    assert sensors.requests_of("landed_batches") == {}
    LandingWriter(open_landing(settings)).land(outcomes=[fetch("demo")])
    requests = sensors.requests_of("landed_batches")
    assert requests["eu"].run_key != requests["main"].run_key
    assert {shard: request.partition_key for shard, request in requests.items()} == {
        "eu": "eu",
        "main": "main",
    }
    assert len(register_landed(store, settings)) == 1
    with store.write_session() as session:
        session.execute(update(Shard).where(Shard.name == "eu").values(ingested_up_to=99))
    assert sensors.requests_of("landed_batches").keys() == {"main"}


def test_a_decision_requests_each_shard_until_it_is_published(
    sensors: Sensors, store: OperationalStore
) -> None:
    assert sensors.requests_of("changed_decisions") == {}
    concern_all(store)
    requests = sensors.requests_of("changed_decisions")
    assert requests.keys() == {"main", "eu"}
    assert requests["eu"].run_key != requests["main"].run_key
    with store.write_session() as session:
        forget(session, session.scalars(select(UnpublishedChange.id)).all(), "eu")
    assert sensors.requests_of("changed_decisions").keys() == {"main"}


def test_a_decision_requests_a_rollup_only_of_its_organizations_shard(
    sensors: Sensors, store: OperationalStore
) -> None:
    add_organization(store, "Acme")
    assert sensors.requests_of("changed_decisions").keys() == {"main"}


@pytest.mark.slow
def test_each_shard_has_its_own_pace(
    sensors: Sensors,
    settings: Settings,
    store: OperationalStore,
    instance: DagsterInstance,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    LandingWriter(open_landing(settings)).land(outcomes=[fetch("demo")])
    concern_all(store)
    done = sensors.at_work("eu")
    event = DagsterEvent(event_type_value="PIPELINE_SUCCESS", job_name="rollup")
    instance.report_dagster_event(event, done.run_id)
    ended, seconds = datetime.now(UTC), timedelta(seconds=settings.rollup_seconds)
    monkeypatch.setattr(defined, "system_clock", lambda: ended)
    for sensor in ("landed_batches", "changed_decisions"):
        assert sensors.requests_of(sensor).keys() == {"main"}
    monkeypatch.setattr(defined, "system_clock", lambda: ended + seconds)
    for sensor in ("landed_batches", "changed_decisions"):
        assert sensors.requests_of(sensor).keys() == {"main", "eu"}


@pytest.mark.slow
def test_a_running_shard_is_not_requested_again_and_delays_no_other(
    sensors: Sensors, settings: Settings, store: OperationalStore, instance: DagsterInstance
) -> None:
    concern_all(store)
    running = sensors.at_work("eu")
    assert sensors.requests_of("changed_decisions").keys() == {"main"}
    queue = queue_of(instance)
    assert queue.is_blocked(running)
    assert not queue.is_blocked(running.with_tags({SHARD: "main"}))


def test_a_new_day_is_computed_once_by_every_shard(
    sensors: Sensors, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a sensor: after a stop over midnight, a schedule would request a second one."""
    for shard in ("main", "eu"):
        sensors.at_work(shard, DagsterRunStatus.SUCCESS)
    assert sensors.requests_of("changed_decisions") == {}
    monkeypatch.setattr(defined, "system_clock", lambda: datetime.now(UTC) - timedelta(days=30))
    assert sensors.requests_of("changed_decisions").keys() == {"main", "eu"}  # the clock was ahead
    monkeypatch.setattr(defined, "system_clock", lambda: datetime.now(UTC) + timedelta(days=1))
    first = sensors.requests_of("changed_decisions")
    assert first.keys() == {"main", "eu"}
    assert first == sensors.requests_of("changed_decisions")  # one run for each key
    sensors.at_work("eu")
    assert sensors.requests_of("changed_decisions").keys() == {"main"}
    assert not any(each.job_name == "rollup" for each in sensors.repository.schedule_defs)


def test_a_run_uses_the_folders_of_its_shard(settings: Settings) -> None:
    own = settings.model_copy(update={"warehouse_url": str(settings.home_path / "own.duckdb")})
    of_run = settings_of_run(own)
    with build_init_resource_context() as context:
        assert of_run(context).warehouse_path == own.warehouse_path
    run = DagsterRun(job_name="rollup", run_id="1", tags={PARTITION: "eu"})
    shard_settings = of_run.resource_fn(type("Context", (), {"run": run}))
    assert (
        shard_settings.warehouse_path == settings.home_path / "shards" / "eu" / "warehouse.duckdb"
    )


def test_runs_queued_by_version_2_0_0_are_canceled_and_requested_again(
    sensors: Sensors, store: OperationalStore, instance: DagsterInstance
) -> None:
    """Their partitions are days. Scrapes have none, and stay in the queue."""
    concern_all(store)
    days = ["2026-05-01", "2026-05-02"]
    instance.add_dynamic_partitions("shard", days)
    created = {
        name: instance.create_run_for_job(
            sensors.repository.get_job(job),
            tags=tags,
        ).run_id
        for name, job, tags in (
            ("day", "rollup", {PARTITION: days[0]}),
            ("days", "recompute", {RANGE_FROM: days[0], RANGE_TO: days[1]}),
            ("fetches", "scrape", {}),
            ("shard", "rollup", {SHARD: "eu"}),
        )
    }
    for name in days:
        instance.delete_dynamic_partition("shard", name)
    canceled = cancel_runs_of_days(instance)
    assert {*canceled} == {created["day"], created["days"]}
    assert {run.status for run in instance.get_runs() if run.run_id in canceled} == {
        DagsterRunStatus.CANCELED
    }
    assert cancel_runs_of_days(instance) == []
    assert sensors.requests_of("changed_decisions").keys() == {"main"}  # the run of eu is queued


def test_dagster_scrapes_once_for_all_shards(settings: Settings) -> None:
    definitions = build_definitions(settings)
    parted = {
        job.name: job.partitions_def == SHARDS
        for job in definitions.get_repository_def().get_all_jobs()
    }
    assert parted == {
        "rollup": True,
        "recompute": True,
        "share": True,
        "scrape": False,
        "comments": False,
        "pipeline": True,
        "pipeline_without_comments": True,
        "__ASSET_JOB": True,
    }
    graph = definitions.resolve_asset_graph()
    apart = {key.path[0] for key in graph.get_all_asset_keys() if graph.get(key).partitions_def}
    assert apart == {"operational", "raw", "control", "marts", "machinery", "publications"}
