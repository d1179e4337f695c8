"""Clocks that jump: business time set back and forth, and the machine's own clock.

A jump may cost a recomputation or a wait; numbers are right at every step. Retention has its own
tests of publications that seem to be replaced in the future.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from tests.doses import dose
from tests.qa.faults.installation import Installation
from tests.qa.faults.landings import business_time
from warehouse.raw import ingest

ONE_DAY = timedelta(days=1)


class JumpingClock(datetime):
    """The machine's clock as modules read it, `ahead` of the true one."""

    ahead: ClassVar[timedelta] = timedelta()

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        return datetime.now(UTC) + cls.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[JumpingClock]:
    """Sets the machine's clock for ids and ingestion."""
    true_ns = time.time_ns

    def time_ns() -> int:
        return true_ns() + int(JumpingClock.ahead.total_seconds() * 1e9)

    monkeypatch.setattr(time, "time_ns", time_ns)
    monkeypatch.setattr(ingest, "datetime", JumpingClock)
    monkeypatch.setattr(JumpingClock, "ahead", timedelta())
    return JumpingClock


@pytest.mark.slow
def test_business_time_and_the_machines_clock_may_jump(
    installation: Installation, clock: type[JumpingClock]
) -> None:
    """Readings after the business time count once it has caught up.

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
