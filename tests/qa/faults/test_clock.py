"""Clocks that jump: business time set back and forth, and the machine's own clock.

What a jump may cost is a recomputation or a wait; numbers are right at every step. Publications
that seem to be replaced in the future are tested with retention.
"""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.doses import dose
from tests.factories.landing import fetch
from tests.fixtures.operational import FreshDatabase
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.landings import business_time
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Account, ScrapeJob
from warehouse.raw import ingest
from warehouse.registration.register import register_landed
from warehouse.scrape_jobs import queue

ONE_DAY = timedelta(days=1)


class JumpingClock(datetime):
    """The machine's clock as modules ask it, `ahead` of the true one."""

    ahead: ClassVar[timedelta] = timedelta()

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return datetime.now(UTC) + cls.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[JumpingClock]:
    """Sets the machine's clock for ids, ingestion and leases."""
    true_ns = time.time_ns

    def time_ns() -> int:
        return true_ns() + int(JumpingClock.ahead.total_seconds() * 1e9)

    monkeypatch.setattr(time, "time_ns", time_ns)
    monkeypatch.setattr(ingest, "datetime", JumpingClock)
    monkeypatch.setattr(queue, "datetime", JumpingClock)
    monkeypatch.setattr(JumpingClock, "ahead", timedelta())
    return JumpingClock


@pytest.mark.slow
def test_business_time_and_the_machine_s_clock_may_go_back_and_forth(
    installation: Installation, clock: type[JumpingClock]
) -> None:
    """Readings after the business time do not count yet; they do when it has caught up.

    Ids and days of the batches are then out of order: a day ahead, two back, and on time again.
    """
    installation.land(4)
    for landings in (6, 1, 6)[: dose(2, 3)]:
        installation.run_pipeline_job(at=business_time(landings))
        assert installation.served().as_of == business_time(landings)
        installation.compare()
    for days in (1, -1, 0):
        clock.ahead = days * ONE_DAY
        installation.land(2)
        installation.run_pipeline_job()
        installation.compare()


def queued(installation: Installation) -> UUID:
    with installation.store.write_session() as session:
        account = session.scalars(select(Account).order_by(Account.handle)).first()
        return queue.enqueue(session, job_type="discover_videos", account=account).id


def test_a_leased_job_is_done_once_whatever_the_clock_says(
    databases: FreshDatabase, tmp_path: Path, clock: type[JumpingClock]
) -> None:
    """Leases go by PostgreSQL's clock: nobody else takes the job, whatever this machine's says."""
    with databases() as url, installed(tmp_path / "home", tmp_path, url) as installation:
        job_id = queued(installation)
        claims = []
        for days in (0, 1, -1):
            clock.ahead = days * ONE_DAY
            claims.append(queue.claim(installation.store, 1))
        assert [len(claim) for claim in claims] == [1, 0, 0]
        writer = LandingWriter(open_landing(installation.settings))
        writer.land(outcomes=[fetch("anna", job_id=str(job_id), videos_seen=4)])
        register_landed(installation.store, installation.settings)
        with installation.store.read_session() as session:
            job = session.get_one(ScrapeJob, job_id)
            assert (job.status, job.videos_seen, job.lease_expires_at) == ("succeeded", 4, None)
