"""The business time of a build, and the clock that it is compared with."""

from datetime import timedelta

import pytest

from tests.factories.landing import NOON
from tests.factories.machine_clock import clock_ahead
from warehouse.clock import system_clock
from warehouse.operational import clock
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


@pytest.mark.parametrize(("seconds", "message"), [(70, "70 s ahead of"), (-70, "70 s behind")])
def test_a_build_needs_a_right_clock_unless_its_time_is_set(
    settings: Settings,
    store: OperationalStore,
    monkeypatch: pytest.MonkeyPatch,
    seconds: int,
    message: str,
) -> None:
    real = settings.model_copy(update={"now": None})
    monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(seconds=seconds)))
    with pytest.raises(clock.WrongClockError, match=message):
        clock.business_time(real, store)
    assert clock.business_time(settings.at(NOON), store) == NOON


def test_a_build_may_be_seconds_off(
    settings: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = settings.model_copy(update={"now": None})
    monkeypatch.setattr(clock, "datetime", clock_ahead(timedelta(seconds=50)))
    before = system_clock()
    assert before <= clock.business_time(real, store) <= system_clock()
