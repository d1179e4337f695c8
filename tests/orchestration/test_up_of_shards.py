"""One `tracker up` that computes all shards, its history in PostgreSQL: a process for each run."""

import json
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus, RunsFilter
from sqlalchemy import select

from orchestration.cli.ports import free_port
from orchestration.running.instance import SHARD
from orchestration.running.postgresql import open_instance
from tests.factories.history import day, land_day, track
from tests.factories.tracking import add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.orchestration.commands import PATIENCE_SECONDS, environment, next_line, started
from warehouse.operational.models import ShardAssignment, UnpublishedChange
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.operational.unpublished import forget
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings
from warehouse.shards.assigning import add_shard

LAUNCH = """
mutation($asked: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $asked) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
DAYS = "2026-04-29/2026-04-30"
OWN = """
run_launcher: {module: dagster, class: DefaultRunLauncher}
run_coordinator: {config: {max_concurrent_runs: 2}}
"""
NOWHERE = "http://127.0.0.1:9"  # no test ever asks the real platforms


@dataclass(frozen=True)
class Lived:
    """What two shards went through, and where to look it up."""

    settings: Settings
    backfill: str


@pytest.fixture(scope="module")
def lived(
    databases: FreshDatabase,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lived]:
    """A batch of two shards was landed while nothing ran, and both were computed once more."""
    with databases() as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACKER_DATABASE_URL", url)
        home = tmp_path_factory.mktemp("shards") / "home"
        settings = settings_for(home, url).at(day(1))
        with operational_store(settings) as store:
            in_two_shards(store)
            land_day(settings, 0)
            forget_changes(store)
            with running(settings, url) as ui:
                wait_for(settings, lambda history: ended(history, "rollup") == {"eu", "main"})
                backfill = launch(ui)
                wait_for(settings, lambda history: is_done(history, backfill))
        yield Lived(settings, backfill)


def in_two_shards(store: OperationalStore) -> None:
    acme, beta = (add_organization(store, name) for name in ("Acme", "Beta"))
    for organization in (acme, beta):
        track(store, organization)
    with store.write_session() as session:
        add_shard(session, "eu")
        session.add(
            ShardAssignment(organization_id=beta.organization_id, shard="eu", served_by="eu")
        )


def forget_changes(store: OperationalStore) -> None:
    """Let it be the batch alone that asks for runs."""
    with store.write_session() as session:
        ids = session.scalars(select(UnpublishedChange.id)).all()
        for shard in ("main", "eu"):
            forget(session, ids, shard)


@contextmanager
def running(settings: Settings, url: str) -> Iterator[str]:
    """Run `tracker up` for the block; yield the address of Dagster's page."""
    port = str(free_port())
    own = settings.home_path.parent / "own.yaml"
    own.write_text(OWN)
    env = environment(
        settings.home_path,
        url,
        TRACKER_DAGSTER_SETTINGS=str(own),
        TRACKER_NOW=settings.clock().isoformat(),
        TRACKER_TIKTOK_BASE_URL=NOWHERE,
        TRACKER_INSTAGRAM_BASE_URL=NOWHERE,
    )
    with (
        started("up", "--no-api", "--ui-port", port, env=env) as up,
        ThreadPoolExecutor() as reader,
    ):
        try:
            line = next_line(up)
            assert line.startswith("Dagster"), line
            assert up.stderr is not None
            # A full pipe would hold up all that it started.
            rest = reader.submit(up.stderr.read)
            yield f"http://127.0.0.1:{port}"
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait(PATIENCE_SECONDS)
    assert up.returncode == 0, rest.result()


def wait_for(settings: Settings, happened: Callable[[DagsterInstance], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with open_instance(settings) as history:
        while not happened(history):
            failed = history.get_runs(RunsFilter(statuses=[DagsterRunStatus.FAILURE]))
            assert [run for run in failed if SHARD in run.tags] == []
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.5)


def ended(history: DagsterInstance, job_name: str) -> set[str]:
    done = RunsFilter(job_name=job_name, statuses=[DagsterRunStatus.SUCCESS])
    return {run.tags[SHARD] for run in history.get_runs(done)}


def is_done(history: DagsterInstance, backfill: str) -> bool:
    state = history.get_backfill(backfill)
    return state is not None and state.status.value == "COMPLETED_SUCCESS"


def launch(ui: str) -> str:
    """Start a backfill as Dagster's page does; its id."""
    repository = {"repositoryLocationName": "tracker", "repositoryName": "__repository__"}
    parameters: dict[str, Any] = {
        "selector": {
            "repositorySelector": repository,
            "partitionSetName": "recompute_partition_set",
        },
        "partitionNames": ["eu", "main"],
        "tags": [{"key": "tracker/days", "value": DAYS}],
    }
    answer = httpx.post(
        f"{ui}/graphql", json={"query": LAUNCH, "variables": {"asked": parameters}}, timeout=60
    ).json()
    launched = answer["data"]["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", json.dumps(launched)
    return str(launched["backfillId"])


def runs(settings: Settings, **tags: str) -> Sequence[DagsterRun]:
    with open_instance(settings) as history:
        return history.get_runs(RunsFilter(tags=tags))


@pytest.mark.slow
@pytest.mark.soak
def test_each_shard_has_one_run_of_a_batch_and_publishes_its_own(lived: Lived) -> None:
    """Asked of a history that is opened anew, once all that wrote it has ended."""
    assert not (lived.settings.home_path / "logs" / "api.log").exists()  # --no-api
    keys = [run.tags.get("dagster/run_key") for run in runs(lived.settings)]
    eu, main = sorted(key for key in keys if key and "batches" in key)
    assert (eu.startswith("eu: "), main) == (True, eu.replace("eu: ", "main: "))
    for shard, name in (("main", "Acme"), ("eu", "Beta")):
        path = lived.settings.of_shard(shard).publications_path
        with CurrentPublication(path).cursor() as cursor:
            names = cursor.execute("select name from marts.organizations").fetchall()
            [(readings,)] = cursor.execute("select count(*) from marts.video_deltas").fetchall()
        assert (name,) in names
        assert readings > 0


@pytest.mark.slow
@pytest.mark.soak
def test_a_backfill_of_all_shards_is_one_with_a_run_for_each(lived: Lived) -> None:
    shard_runs = runs(lived.settings, **{"dagster/backfill": lived.backfill})
    assert {run.tags[SHARD]: run.tags["tracker/days"] for run in shard_runs} == {
        "eu": DAYS,
        "main": DAYS,
    }
    assert len(shard_runs) == 2
