"""What runs because something happened."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from dagster import (
    DagsterInstance,
    DefaultSensorStatus,
    RunRequest,
    SensorDefinition,
    build_sensor_context,
)

from orchestration.build import build_definitions
from orchestration.defs.operational import assets
from orchestration.defs.operational.decisions import decisions_fingerprint
from orchestration.lib import metadata
from orchestration.lib.pipeline import run_pipeline
from orchestration.lib.progress import silent
from orchestration.lib.runs import close_abandoned_runs, is_running, open_instance
from orchestration.resources.warehouse import WarehouseWriter
from tests.factories.landing import NOON, look, post
from tests.factories.tracking import (
    add_account,
    add_campaign,
    add_member,
    add_video,
    change,
    remove_member,
)
from warehouse.landing.writer import LandingWriter
from warehouse.operational.dated import set_video_status
from warehouse.operational.models import Account, Video
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import CurrentPublication
from warehouse.raw.operational_copy import copy_operational
from warehouse.reading.analytics import series
from warehouse.reading.known import known_of
from warehouse.reading.series_query import SeriesQuery
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings


@pytest.fixture
def instance(settings: Settings) -> Iterator[DagsterInstance]:
    with open_instance(settings) as opened:
        yield opened


def asked(
    name: str, settings: Settings, store: OperationalStore, instance: DagsterInstance
) -> RunRequest | None:
    """What the sensor asks for now, None where it skips."""
    repository = build_definitions(settings).get_repository_def()
    sensor: SensorDefinition = repository.get_sensor_def(name)
    resources = {"settings": settings, "store": store}
    with build_sensor_context(
        instance=instance, resources=resources, repository_def=repository
    ) as context:
        data = sensor.evaluate_tick(context)
    assert len(data.run_requests or []) <= 1
    return data.run_requests[0] if data.run_requests else None


def fingerprint(store: OperationalStore) -> str:
    with store.read_session() as session:
        return decisions_fingerprint(session)


class TestLandedBatches:
    def test_a_landed_batch_asks_for_one_rollup(
        self, settings: Settings, store: OperationalStore, instance: DagsterInstance
    ) -> None:
        assert asked("landed_batches", settings, store, instance) is None
        LandingWriter(settings.landing_path).land(outcomes=[look("demo")])
        request = asked("landed_batches", settings, store, instance)
        assert request is not None
        assert request.partition_key == settings.clock().strftime("%Y-%m-%d")
        again = asked("landed_batches", settings, store, instance)
        assert again is not None
        assert again.run_key == request.run_key
        run_pipeline(settings, scrape=False)
        assert asked("landed_batches", settings, store, instance) is None


class TestChangedDecisions:
    def test_a_rollup_is_asked_for_until_a_copy_has_seen_the_change(
        self,
        settings: Settings,
        store: OperationalStore,
        instance: DagsterInstance,
        organization: NewOrganization,
    ) -> None:
        def is_asked() -> bool:
            return asked("changed_decisions", settings, store, instance) is not None

        account_id = add_account(store, organization, "demo")
        video_id = add_video(store, organization, "1", account=account_id)
        assert is_asked()
        run_pipeline(settings, scrape=False, recorded=True)
        assert not is_asked()
        with store.write_session() as session:
            video = session.get_one(Video, video_id)
            set_video_status(session, video, "excluded", settings.clock())
        assert is_asked()

    def test_what_is_decided_just_after_the_copy_is_a_change_still(
        self,
        settings: Settings,
        store: OperationalStore,
        organization: NewOrganization,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """What a copy has seen was noted before it: else nobody would ever ask for the rest."""

        def copy_and_decide(*arguments: Any) -> dict[str, int]:
            copied = copy_operational(*arguments)
            add_account(store, organization, "demo")
            return copied

        monkeypatch.setattr(assets, "copy_operational", copy_and_decide)
        warehouse = WarehouseWriter(settings, pytest.fail)
        noted = {
            table.metadata[metadata.DECISIONS]
            for table in assets.operational_copy(
                store=store, warehouse=warehouse, on_progress=silent
            )
        }
        warehouse.release()
        assert len(noted) == 1
        assert noted != {fingerprint(store)}

    def test_a_removed_account_is_a_change(
        self, store: OperationalStore, organization: NewOrganization
    ) -> None:
        account_id = add_account(store, organization, "demo")
        before = fingerprint(store)
        change(store, Account, account_id, last_scraped_at=datetime(2026, 5, 4, tzinfo=UTC))
        assert fingerprint(store) == before
        change(store, Account, account_id, is_active=False, removed_at=datetime.now(UTC))
        assert fingerprint(store) != before


class TestFreshNumbers:
    """What analytics say of a campaign today follows scrapes and members by these two sensors."""

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

    def test_a_new_reading_and_a_new_member_are_asked_for_and_shown(
        self,
        settings: Settings,
        store: OperationalStore,
        instance: DagsterInstance,
        organization: NewOrganization,
    ) -> None:
        settings = settings.at(NOON + timedelta(hours=1))
        first, second = (add_video(store, organization, number) for number in ("1", "2"))
        campaign = add_campaign(store, organization, first)
        land = LandingWriter(settings.landing_path).land
        land(posts=[post("1", view_count=10), post("2", view_count=500)])
        run_pipeline(settings, scrape=False, recorded=True)
        assert self.views_today(settings, organization, campaign) == 10

        assert asked("changed_decisions", settings, store, instance) is None
        land(posts=[post("1", view_count=17, captured_at=NOON + timedelta(minutes=50))])
        assert asked("landed_batches", settings, store, instance) is not None
        add_member(store, organization, campaign, second)
        assert asked("changed_decisions", settings, store, instance) is not None
        run_pipeline(settings, scrape=False, recorded=True)
        assert self.views_today(settings, organization, campaign) == 517

        remove_member(store, campaign, first)
        assert asked("changed_decisions", settings, store, instance) is not None
        run_pipeline(settings, scrape=False, recorded=True)
        assert self.views_today(settings, organization, campaign) == 500
        assert asked("changed_decisions", settings, store, instance) is None

    @pytest.mark.parametrize("name", ["landed_batches", "changed_decisions"])
    def test_they_look_by_themselves_and_often(self, settings: Settings, name: str) -> None:
        """A rollup takes seconds, so that five minutes are kept by far."""
        sensor = build_definitions(settings).get_repository_def().get_sensor_def(name)
        assert sensor.default_status == DefaultSensorStatus.RUNNING
        assert sensor.minimum_interval_seconds is not None
        assert sensor.minimum_interval_seconds <= 60


class TestQueuedScrapeJobs:
    def test_a_queued_job_asks_for_a_sweep_of_the_queue_alone(
        self,
        settings: Settings,
        store: OperationalStore,
        instance: DagsterInstance,
        organization: NewOrganization,
    ) -> None:
        assert asked("queued_scrape_jobs", settings, store, instance) is None
        account_id = add_account(store, organization, "demo")
        with store.write_session() as session:
            enqueue(
                session, job_type="discover_videos", account=session.get_one(Account, account_id)
            )
        request = asked("queued_scrape_jobs", settings, store, instance)
        assert request is not None
        assert request.run_config["ops"] == {
            f"landing__{platform}": {"config": {"scheduled": False}}
            for platform in ("tiktok", "instagram")
        }


class TestRunHistory:
    def test_runs_that_an_earlier_daemon_left_behind_do_not_block_new_ones(
        self, settings: Settings, instance: DagsterInstance
    ) -> None:
        job = build_definitions(settings).resolve_job_def("rollup")
        run = instance.create_run_for_job(job)
        assert is_running(instance, "rollup")
        close_abandoned_runs(instance)
        assert not is_running(instance, "rollup")
        failed = instance.get_run_by_id(run.run_id)
        assert failed is not None
        assert failed.is_failure
