"""Sensors, and the runs that they request."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, LiteralString, cast
from uuid import UUID

import psycopg
import pytest
from dagster import (
    DagsterEvent,
    DagsterInstance,
    DagsterRunStatus,
    RunRequest,
    SensorDefinition,
    build_sensor_context,
    op,
    partition_loading_context,
)
from dagster import job as dagster_job
from sqlalchemy import select, update

from orchestration.assembly import build_definitions
from orchestration.defs import jobs, sensors
from orchestration.partitions import add_partition
from orchestration.running.instance import SHARD
from orchestration.running.pace import FIRST_WAIT, LISTED_SECONDS
from orchestration.running.progress import silent
from orchestration.running.runs import PLATFORM, QUEUED_FETCHES
from orchestration.scraping.work_queue import JOBS_AT_A_TIME
from orchestration.scraping.worker import Scope, fetch_platform
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, ScrapeReport
from tests.factories import history
from tests.factories.history import roll_up
from tests.factories.landing import NOON, fetch, post
from tests.factories.tracking import (
    Customer,
    add_account,
    add_campaign,
    add_member,
    add_organization,
    change,
    remove_member,
)
from tests.orchestration.own_provider import OwnProvider
from tests.orchestration.scraping.test_claimed_fetches import create_crowd
from tests.orchestration.scraping.test_work_queue import queue_for
from tests.orchestration.ticks import ticked
from warehouse.catalogue.copied import COPIED_IN
from warehouse.catalogue.operational import FOLLOWED
from warehouse.connection import attach_warehouse
from warehouse.fetch_schedule.ahead import correct_ahead
from warehouse.fetch_schedule.changes import plan_changes
from warehouse.fetch_schedule.claims import claim_fetches, release, settle
from warehouse.landing import in_folder
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.base import Base
from warehouse.operational.models import Account, Lease, UnpublishedChange
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import AWAITED, forget
from warehouse.platforms import PLATFORMS
from warehouse.publication.current import CurrentPublication
from warehouse.raw.operational_copy import copy_operational
from warehouse.reading.series.analytics import series
from warehouse.reading.series.known import known_of
from warehouse.reading.series.query import SeriesQuery
from warehouse.scrape_jobs.open_jobs import waiting_jobs
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.step_metrics import last_ended, note_failure

OF_MAIN = {SHARD: MAIN_SHARD}


@dataclass(frozen=True)
class Daemon:
    """Evaluates the sensors as Dagster's daemon does."""

    settings: Settings
    store: OperationalStore
    instance: DagsterInstance

    def request_of(self, name: str, settings: Settings | None = None) -> RunRequest | None:
        """The sensor's request, or None if it skips."""
        return self.watch(name, settings)()

    def watch(self, name: str, settings: Settings | None = None) -> Callable[[], RunRequest | None]:
        """A function that evaluates the sensor and returns its request, or None if it skips."""
        settings = settings or self.settings
        repository = build_definitions(settings).get_repository_def()
        sensor: SensorDefinition = repository.get_sensor_def(name)
        resources = {"settings": settings, "store": self.store}

        add_partition(self.instance, MAIN_SHARD)

        def look() -> RunRequest | None:
            with (
                build_sensor_context(
                    instance=self.instance, resources=resources, repository_def=repository
                ) as context,
                partition_loading_context(dynamic_partitions_store=self.instance),
            ):
                data = sensor.evaluate_tick(context)
            assert len(data.run_requests or []) <= 1
            return data.run_requests[0] if data.run_requests else None

        return look

    def due_fetches(self, store: OperationalStore | None = None) -> Sequence[RunRequest]:
        """The requests of the sensor of due fetches."""
        repository = build_definitions(self.settings).get_repository_def()
        resources = {"settings": self.settings, "store": store or self.store}
        return ticked("due_fetches", repository, self.instance, **resources)

    def land(self, **rows: Any) -> None:
        LandingWriter(open_landing(self.settings)).land(**rows)

    def roll_up(self) -> None:
        roll_up(self.settings, self.store)


@pytest.fixture
def daemon(settings: Settings, store: OperationalStore, instance: DagsterInstance) -> Daemon:
    return Daemon(settings, store, instance)


def publish_all(store: OperationalStore) -> None:
    with store.write_session() as session:
        forget(session, session.scalars(select(UnpublishedChange.id)).all(), None)


def waiting(store: OperationalStore) -> Sequence[UnpublishedChange]:
    with store.read_session() as session:
        return session.scalars(select(UnpublishedChange)).all()


def copied_columns() -> dict[str, list[str]]:
    """The PostgreSQL columns that the warehouse copies, by table."""
    return {
        table.name: [column.name for column in table.columns if column != COPIED_IN]
        for table in FOLLOWED
    }


def writes(table: str, columns: Sequence[str]) -> Iterator[LiteralString]:
    """Statements of each kind on a table, even an empty one. Keys never change."""
    first = columns[0]
    some = f"insert into {table} ({first}) select {first} from {table} where false"
    yield cast("LiteralString", some)
    yield cast("LiteralString", f"delete from {table}")
    keys = {column.name for column in Base.metadata.tables[table].primary_key}
    generated = {column.name for column in Base.metadata.tables[table].c if column.computed}
    for column in columns:
        if column not in {*generated, *keys}:
            yield cast("LiteralString", f"update {table} set {column} = {column}")


class TestLandedBatches:
    def test_a_batch_from_the_future_delays_no_other(
        self, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It waits for its time, and its id is the newest until then."""
        with monkeypatch.context() as ahead:
            ahead.setattr(in_folder, "uuid7", lambda: UUID(int=2**128 - 1))
            daemon.land(outcomes=[fetch("demo")])
        first = daemon.request_of("landed_batches")
        daemon.land(outcomes=[fetch("demo")])
        second = daemon.request_of("landed_batches")
        assert second.run_key != first.run_key  # Dagster launches nothing twice under one key

    def test_batches_that_waited_for_an_upgrade_are_requested_after_it(
        self, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        daemon.land(outcomes=[fetch("demo")])
        first = daemon.request_of("landed_batches")
        monkeypatch.setattr(sensors, "models_version", lambda: "later")
        second = daemon.request_of("landed_batches")
        assert second.run_key != first.run_key  # the earlier run left the batch where it was

    def test_a_batch_that_was_set_aside_and_comes_back_is_requested_again(
        self, daemon: Daemon
    ) -> None:
        daemon.land(outcomes=[fetch("demo")])
        first = daemon.request_of("landed_batches")
        landing = open_landing(daemon.settings)
        [batch] = landing.incoming()
        aside = landing.reject(batch, "impossible")
        assert daemon.request_of("landed_batches") is None
        Path(aside).rename(batch.path)
        second = daemon.request_of("landed_batches")
        assert second.run_key != first.run_key


class TestChangedDecisions:
    @pytest.mark.slow
    def test_a_write_to_any_copied_column_requests_a_rollup(self, daemon: Daemon) -> None:
        """Each kind of write to each table that the warehouse copies, and to each column."""
        look = daemon.watch("changed_decisions")
        missed, keys = [], set()
        for table, columns in copied_columns().items():
            for write in writes(table, columns):
                publish_all(daemon.store)
                with psycopg.connect(daemon.store.dsn) as connection:
                    connection.execute(write)
                    assert not waiting(daemon.store), "waits before it was committed"
                missed += [] if waiting(daemon.store) else [write]
            request = look()
            keys.add(request.run_key)
        assert missed == []
        assert len(keys) == len(copied_columns())
        publish_all(daemon.store)
        assert look() is None

    def test_changes_of_other_tables_request_nothing(
        self, customer: Customer, daemon: Daemon
    ) -> None:
        account_id = customer.account("demo")
        publish_all(daemon.store)
        change(daemon.store, Account, account_id, bio_link="https://example.com")
        assert daemon.request_of("changed_decisions") is None
        change(daemon.store, Account, account_id, is_active=False, removed_at=datetime.now(UTC))
        assert daemon.request_of("changed_decisions") is not None

    @pytest.mark.slow
    def test_changes_that_a_copy_did_not_see_are_requested(
        self, customer: Customer, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A transaction that begins before a copy and commits after it, and one just after it.

        A publication ends only what its copy saw.
        """
        look = daemon.watch("changed_decisions")
        with psycopg.connect(daemon.store.dsn) as connection:
            connection.execute("update projects set name = 'Late'")
            customer.account("demo")
            daemon.roll_up()
            assert look() is None
        assert look() is not None

        def copy_and_decide(*arguments: Any) -> dict[str, int]:
            copied = copy_operational(*arguments)
            customer.account("later")
            return copied

        monkeypatch.setattr(history, "copy_operational", copy_and_decide)
        daemon.roll_up()
        assert look() is not None

    @pytest.mark.slow
    def test_a_run_that_publishes_nothing_leaves_changes_pending(
        self, customer: Customer, daemon: Daemon
    ) -> None:
        """`tracker rescore` copies too: the next rollup publishes it."""
        with attach_warehouse(daemon.settings) as connection:
            copy_operational(daemon.store, connection)
        request = daemon.request_of("changed_decisions")
        second = daemon.request_of("changed_decisions")
        assert second.run_key == request.run_key


class TestPace:
    """Rollups are some seconds apart, but start at once for a waiting person."""

    @pytest.fixture(autouse=True)
    def wait(
        self, customer: Customer, instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[float], None]:
        """Set the seconds since the last rollup, which is over and published all changes."""
        customer.account("demo", last_scraped_at=NOON)
        publish_all(customer.store)
        assert build_job("rollup").execute_in_process(instance=instance, tags=OF_MAIN).success
        (record,) = instance.get_run_records(limit=1)

        def wait_for(seconds: float) -> None:
            now = record.create_timestamp + timedelta(seconds=seconds)
            monkeypatch.setattr(sensors, "system_clock", lambda: now)

        wait_for(0)
        return wait_for

    @pytest.mark.slow
    def test_batches_and_decisions_are_gathered(
        self, customer: Customer, daemon: Daemon, wait: Callable[[float], None]
    ) -> None:
        daemon.land(outcomes=[fetch("demo")])
        customer.account("other")
        for sensor in ("landed_batches", "changed_decisions"):
            wait(daemon.settings.rollup_seconds - 5)
            assert daemon.request_of(sensor) is None
            unpaced = daemon.settings.model_copy(update={"rollup_seconds": 0})
            assert daemon.request_of(sensor, unpaced) is not None
            wait(daemon.settings.rollup_seconds)
            assert daemon.request_of(sensor) is not None

    @pytest.mark.slow
    def test_a_rollup_at_a_future_time_delays_nothing(
        self, daemon: Daemon, wait: Callable[[float], None]
    ) -> None:
        decide(daemon.store, "update projects set name = 'changed'")
        assert daemon.request_of("changed_decisions") is None
        wait(timedelta(days=-30).total_seconds())
        assert daemon.request_of("changed_decisions") is not None

    @pytest.mark.slow
    def test_a_persons_changes_start_a_rollup_at_once(self, daemon: Daemon) -> None:
        decide(daemon.store, "update projects set name = 'by a program'")
        assert daemon.request_of("changed_decisions") is None
        decide(daemon.store, AWAITED, "update projects set name = 'at the desk'")
        assert daemon.request_of("changed_decisions") is not None

    @pytest.mark.slow
    def test_the_first_readings_of_an_organization_start_a_rollup_at_once(
        self, daemon: Daemon
    ) -> None:
        newcomer = add_organization(daemon.store, "New")
        daemon.land(outcomes=[fetch("demo")])
        assert daemon.request_of("landed_batches") is None
        account_id = add_account(daemon.store, newcomer, "first")
        with daemon.store.write_session() as session:
            account = session.get_one(Account, account_id)
            enqueue(session, job_type="creator_profiles", account=account).status = "running"
        assert daemon.request_of("landed_batches") is not None
        change(daemon.store, Account, account_id, last_scraped_at=NOON)
        assert daemon.request_of("landed_batches") is None

    @pytest.mark.slow
    def test_conversions_alone_wait_longest(
        self, customer: Customer, daemon: Daemon, wait: Callable[[float], None]
    ) -> None:
        decide(daemon.store, "update conversions set note = note", "delete from conversions")
        wait(LISTED_SECONDS - 5)
        assert daemon.request_of("changed_decisions") is None
        rarely = daemon.settings.model_copy(update={"rollup_seconds": LISTED_SECONDS + 5})
        wait(LISTED_SECONDS)
        assert daemon.request_of("changed_decisions") is not None
        assert daemon.request_of("changed_decisions", rarely) is None
        wait(daemon.settings.rollup_seconds)
        assert daemon.request_of("changed_decisions") is None
        customer.account("other")
        assert daemon.request_of("changed_decisions") is not None


def decide(store: OperationalStore, *statements: LiteralString) -> None:
    with psycopg.connect(store.dsn) as connection:
        for statement in statements:
            connection.execute(statement)


class TestFreshNumbers:
    """These two sensors bring scrapes and new members into a campaign's analytics today."""

    def views_today(self, settings: Settings, organization: NewOrganization, campaign: UUID) -> int:
        today = settings.clock().date()
        query = SeriesQuery(
            organization_id=organization.organization_id,
            entity="campaign",
            entity_ids=(campaign,),
            metric="views",
            mode="cumulative",
            from_day=today,
            to_day=today,
            zone="UTC",
        )
        with CurrentPublication(settings.publications_path).cursor() as cursor:
            [value] = series(cursor, query, known_of(cursor, query))[campaign]
        assert isinstance(value, int)
        return value

    @pytest.mark.slow
    def test_a_new_reading_and_a_new_member_are_requested_and_shown(
        self, customer: Customer, daemon: Daemon
    ) -> None:
        daemon = replace(daemon, settings=daemon.settings.at(NOON + timedelta(hours=1)))
        first, second = (customer.video(number) for number in ("1", "2"))
        campaign = add_campaign(daemon.store, customer.organization, first)
        daemon.land(posts=[post("1", view_count=10), post("2", view_count=500)])
        daemon.roll_up()
        assert self.views_today(daemon.settings, customer.organization, campaign) == 10

        assert daemon.request_of("landed_batches") is None
        assert daemon.request_of("changed_decisions") is None
        daemon.land(posts=[post("1", view_count=17, captured_at=NOON + timedelta(minutes=50))])
        assert daemon.request_of("landed_batches") is not None
        add_member(daemon.store, customer.organization, campaign, second)
        assert daemon.request_of("changed_decisions") is not None
        daemon.roll_up()
        assert self.views_today(daemon.settings, customer.organization, campaign) == 517

        remove_member(daemon.store, campaign, first)
        assert daemon.request_of("changed_decisions") is not None
        daemon.roll_up()
        assert self.views_today(daemon.settings, customer.organization, campaign) == 500
        assert daemon.request_of("changed_decisions") is None


class TestQueuedScrapeJobs:
    def test_a_queued_job_requests_only_a_crawl_of_the_queue(
        self, customer: Customer, daemon: Daemon
    ) -> None:
        assert daemon.request_of("queued_scrape_jobs") is None
        account_id = customer.account("demo")
        with daemon.store.write_session() as session:
            enqueue(
                session, job_type="discover_videos", account=session.get_one(Account, account_id)
            )
        request = daemon.request_of("queued_scrape_jobs")
        assert request.run_config["ops"] == {"landing__tiktok": {"config": {"scope": "NOTHING"}}}

    async def test_a_platform_that_requested_a_pause_gets_no_crawl_before_its_end(
        self, customer: Customer, daemon: Daemon
    ) -> None:
        """Otherwise one starts for each 50 waiting jobs, and for each new one."""
        create_crowd(daemon.store, JOBS_AT_A_TIME + 1)

        @asynccontextmanager
        async def open_platform(*_: object) -> AsyncIterator[Limited]:
            yield Limited()

        elsewhere = daemon.settings.model_copy(update={"scrape_egress": "another address"})
        crawl = partial(fetch_platform, daemon.settings, daemon.store, "tiktok", open_platform)
        assert (await crawl(silent, Scope.NOTHING)).wait_seconds == 900
        queue_for(daemon.store, customer.account("new"), "creator_profiles")
        assert daemon.request_of("queued_scrape_jobs") is None
        assert daemon.request_of("queued_scrape_jobs", elsewhere) is not None
        other = customer.account("new", platform="instagram")
        queue_for(daemon.store, other, "creator_profiles")
        request = daemon.request_of("queued_scrape_jobs")
        assert request.tags[PLATFORM] == "instagram"
        with daemon.store.write_session() as session:
            session.execute(update(Lease).values(expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
        with daemon.store.read_session() as session:
            assert waiting_jobs(session, "tiktok") == 2


class Limited(OwnProvider):
    """Requests a long pause at the first fetch."""

    async def profile(self, target: AccountTarget) -> ScrapeReport:
        return ScrapeReport(
            outcome=Outcome.RATE_LIMITED, source="own", was_sent=False, wait_seconds=900
        )


class TestAfterFailures:
    """A run that fails at once is requested again, but not every 5 seconds."""

    def fail(self, instance: DagsterInstance, job: str, tags: Mapping[str, str]) -> str:
        run = instance.create_run_for_job(
            build_job(job), tags={**tags}, status=DagsterRunStatus.STARTED
        )
        instance.report_run_failed(run)
        return run.run_id

    @pytest.mark.slow
    @pytest.mark.parametrize("sensor", ["landed_batches", "queued_scrape_jobs"])
    def test_each_failure_doubles_the_wait_and_a_success_ends_it(
        self, customer: Customer, daemon: Daemon, monkeypatch: pytest.MonkeyPatch, sensor: str
    ) -> None:
        is_rollup = sensor == "landed_batches"
        queued = {**QUEUED_FETCHES, PLATFORM: "tiktok"}
        job, tags = ("rollup", OF_MAIN) if is_rollup else ("scrape", queued)
        account_id = customer.account("demo")
        with daemon.store.write_session() as session:
            account = session.get_one(Account, account_id)
            enqueue(session, job_type="creator_profiles", account=account)
        daemon.land(outcomes=[fetch("demo")])
        look_again = daemon.watch(sensor)
        later = timedelta()
        monkeypatch.setattr(sensors, "system_clock", lambda: datetime.now(UTC) + later)
        first = look_again()
        keys = {first.run_key}
        for seconds in (30, 60, 120, 240, 480, 900, 900, 900, 900):
            self.fail(daemon.instance, job, tags)
            later = timedelta(seconds=seconds - 20)
            assert look_again() is None
            later = timedelta(seconds=seconds)
            request = look_again()
            if job == "rollup":  # Dagster launches nothing twice under one key
                assert request.run_key not in keys
                keys.add(request.run_key)
        later = timedelta(seconds=daemon.settings.rollup_seconds)
        done = daemon.instance.create_run_for_job(build_job(job), tags={**tags})
        daemon.instance.report_dagster_event(
            DagsterEvent(event_type_value="PIPELINE_SUCCESS", job_name=job), done.run_id
        )
        request = look_again()
        assert request.run_key == first.run_key

    @pytest.mark.parametrize(
        ("job", "is_sole"), [("rollup", True), ("rollup", False), ("pipeline", True)]
    )
    def test_changes_of_a_canceled_run_are_requested_again(
        self,
        customer: Customer,
        daemon: Daemon,
        monkeypatch: pytest.MonkeyPatch,
        job: str,
        is_sole: bool,
    ) -> None:
        """Dagster launches nothing twice under one key."""
        look_again = daemon.watch("changed_decisions")
        first = look_again()
        assert first is not None
        if is_sole:  # it ingested the batch
            publish_all(daemon.store)
        run = daemon.instance.create_run_for_job(
            build_job(job), tags=OF_MAIN, status=DagsterRunStatus.STARTED
        )
        daemon.instance.report_run_canceled(run)
        assert look_again() is None
        monkeypatch.setattr(sensors, "system_clock", lambda: datetime.now(UTC) + FIRST_WAIT)
        request = look_again()
        assert request.run_key != first.run_key

    def test_a_run_that_fails_after_a_rollup_that_began_later_is_followed_by_another(
        self, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`tracker run` scrapes for hours, and then ingests batches that no rollup has seen."""
        look = daemon.watch("changed_decisions")
        started = DagsterRunStatus.STARTED
        run = daemon.instance.create_run_for_job(
            build_job("pipeline"), tags=OF_MAIN, status=started
        )
        assert build_job("rollup").execute_in_process(instance=daemon.instance, tags=OF_MAIN)
        daemon.instance.report_run_failed(run)
        assert look() is None
        monkeypatch.setattr(sensors, "system_clock", lambda: datetime.now(UTC) + FIRST_WAIT)
        request = look()
        assert request.run_key.endswith(f"after {run.run_id}")

    def test_a_failure_at_a_future_time_delays_nothing(
        self, customer: Customer, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.fail(daemon.instance, "rollup", OF_MAIN)
        look_again = daemon.watch("changed_decisions")
        assert look_again() is None
        monkeypatch.setattr(sensors, "system_clock", lambda: datetime.now(UTC) - timedelta(days=30))
        assert look_again() is not None


def build_job(name: str) -> Any:
    @op
    def step() -> None: ...

    @dagster_job(name=name)
    def built() -> None:
        step()

    return built


class TestLooksThatAreDue:
    @pytest.mark.parametrize(
        ("tags", "platforms"), [(QUEUED_FETCHES, {*PLATFORMS}), ({}, {"instagram"})]
    )
    def test_only_a_crawl_of_the_platform_that_is_at_work_stands_in_for_the_next(
        self, customer: Customer, daemon: Daemon, tags: dict[str, str], platforms: set[str]
    ) -> None:
        """A platform with a long queue must not delay another's paying fetches."""
        repository = build_definitions(daemon.settings).get_repository_def()
        tags = {**tags, PLATFORM: "tiktok"}
        daemon.instance.create_run_for_job(repository.get_job("scrape"), tags=tags)
        customer.account("demo")
        requests = daemon.due_fetches()
        assert {request.tags[PLATFORM] for request in requests} == platforms
        assert {request.run_key for request in requests} == platforms  # each starts one run a tick
        for request in requests:
            selected = {*(request.asset_selection or ())}
            [node] = repository.get_job("scrape").get_subset(asset_selection=selected).nodes
            assert [node.name] == [*request.run_config["ops"]] == [f"landing__{request.run_key}"]

    @pytest.mark.slow
    def test_without_due_fetches_one_run_starts_a_day(
        self, customer: Customer, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An account is decided on, then due, then under way, then given back, then settled."""
        job = build_definitions(daemon.settings).resolve_job_def("scrape")

        def starts() -> bool:
            requests = daemon.due_fetches()
            for request in requests:
                run = daemon.instance.create_run_for_job(job, tags=request.tags)
                daemon.instance.report_run_failed(run)
            return bool(requests)

        note_failure(daemon.settings.metrics_path, "scrape tiktok")
        assert [starts(), starts()] == [True, True]  # nothing was ever planned
        assert last_ended(daemon.settings.metrics_path, "failed")
        plan_all(daemon.store)
        assert not starts()
        assert not last_ended(daemon.settings.metrics_path, "failed")
        customer.account("demo")
        assert starts()
        plan_all(daemon.store)
        assert starts()
        claimed = claim_fetches(daemon.store, "tiktok", 10)
        assert not starts()
        release(daemon.store, claimed)
        assert starts()
        claimed = claim_fetches(daemon.store, "tiktok", 10)
        settle(daemon.store, "tiktok", claimed, ())
        assert not starts()
        later = replace(daemon.store, clock=lambda: daemon.settings.clock() + timedelta(days=2))
        assert daemon.due_fetches(later)
        ahead = replace(daemon.store, clock=lambda: daemon.settings.clock() + timedelta(days=30))
        settle(ahead, "tiktok", claim_fetches(ahead, "tiktok", 10), ())
        assert starts()
        with daemon.store.write_session() as session:
            correct_ahead(session, daemon.settings.clock())
        assert not starts()
        for days in (1, -30):  # the next day; a clock that was ahead began the last one
            monkeypatch.setattr(
                jobs, "system_clock", lambda d=days: datetime.now(UTC) + timedelta(days=d)
            )
            assert starts()


def plan_all(store: OperationalStore) -> None:
    """Plan the fetches of the decided changes."""
    with store.write_session() as session:
        plan_changes(session)
