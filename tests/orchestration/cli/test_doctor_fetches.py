"""What `tracker doctor` reports about posts that are due but not fetched."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from orchestration.cli.doctor.checks.fetches import check_fetches, check_pauses
from orchestration.cli.doctor.finding import Finding, Installation
from tests.factories.landing import NOON
from tests.factories.tracking import add_account, add_video
from warehouse.clock import fixed_clock
from warehouse.fetch_schedule.members import plan_everything
from warehouse.operational.models import Account
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.pipeline_signs import show_scraper
from warehouse.operational.spending import Spent, add
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.queue import enqueue
from warehouse.settings import Settings

PAUSE = """
    insert into host_paces (egress, host, state)
    select '', 'www.tiktok.com', json_build_object('paused_until', extract(epoch from now()) + 60)
"""


@pytest.fixture
def planned_store(store: OperationalStore, organization: NewOrganization) -> OperationalStore:
    """Two posts, neither reached by a day's seven requests."""
    for number in range(2):
        add_video(store, organization, f"7{number}", created_at=NOON - timedelta(hours=27))
    with store.write_session() as session:
        plan_everything(session)
    with store.engine.begin() as connection:
        add(connection, "tiktok", NOON.date(), Spent(7))
    return store


def finding_at(settings: Settings, most: int | None, hours: float) -> Finding:
    changed = settings.model_copy(update={"tiktok_requests_per_day": most})
    at = changed.at(fixed_clock(NOON)() + timedelta(hours=hours))
    [finding] = check_fetches(Installation(at, "127.0.0.1", 8000))
    return finding


def test_posts_that_wait_for_longer_than_28_hours_are_counted_beside_the_days_requests(
    planned_store: OperationalStore, settings: Settings
) -> None:
    assert planned_store
    assert finding_at(settings, 7, hours=0).level == "ok"
    late = finding_at(settings, 7, hours=2)
    message = "tiktok: 2 of 2 posts were not fetched for 28 hours; 7 of 7 requests today (UTC)"
    assert (late.level, late.message) == ("warn", message)
    assert "TRACKER_TIKTOK_REQUESTS_PER_DAY" in (late.way_out or "")
    assert "scrape --stay" in (finding_at(settings, None, hours=2).way_out or "")


def test_a_platforms_pause_is_reported_with_the_waiting_jobs(
    planned_store: OperationalStore, settings: Settings, organization: NewOrganization
) -> None:
    account_id = add_account(planned_store, organization, "waiting")
    installation = Installation(settings, "127.0.0.1", 8000)
    assert [*check_pauses(installation)] == []
    with planned_store.write_session() as session:
        enqueue(session, job_type="creator_profiles", account=session.get(Account, account_id))
        session.execute(text(PAUSE))
    [finding] = check_pauses(installation)
    assert finding.level == "warn"
    assert finding.message.startswith("tiktok: www.tiktok.com asked for a pause until ")
    assert finding.message.endswith(" UTC; open jobs: 1")


def test_a_stopping_worker_deletes_the_rows_of_workers_silent_for_a_day(
    store: OperationalStore,
) -> None:
    for worker in ("lost", "living", "stopped"):
        show_scraper(store, worker)
    with store.write_session() as session:
        session.execute(text("insert into leases values ('other', 'other', 1, now())"))
        lost = "update leases set expires_at = now() - interval '25 hours' where holder in ({})"
        session.execute(text(lost.format("'lost', 'other'")))
    show_scraper(store, "stopped", ends=True)
    with store.read_session() as session:
        left = session.scalars(text("select holder from leases order by holder")).all()
    assert left == ["living", "other"]
