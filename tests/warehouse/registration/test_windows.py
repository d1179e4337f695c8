from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.registration.scrapable import BEGINNING, in_window, window_start

ZONES = ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "America/Sao_Paulo"]
days = st.dates(date(2018, 1, 1), date(2018, 12, 31))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("posted_at", "inside"),
    [
        ("2026-03-09T10:59:59Z", False),
        ("2026-03-09T11:00:00Z", True),  # 10 March has begun in Auckland, not yet in UTC
        ("2026-03-10T12:00:00Z", True),
        ("2026-03-10T23:59:59Z", True),  # already 11 March in Auckland, still the 10th in UTC
        ("2026-03-11T00:00:00Z", False),
    ],
)
def test_a_window_of_one_day_east_of_greenwich_lasts_from_local_to_utc_midnight(
    posted_at: str, inside: bool
) -> None:
    day = date(2026, 3, 10)
    assert in_window(at(posted_at), day, day, "Pacific/Auckland") is inside


def test_west_of_greenwich_the_window_ends_with_the_local_day() -> None:
    day = date(2026, 3, 10)
    assert in_window(at("2026-03-11T06:59:59Z"), None, day, "America/Los_Angeles")
    assert not in_window(at("2026-03-11T07:00:00Z"), None, day, "America/Los_Angeles")


def test_a_window_without_dates_includes_everything() -> None:
    assert in_window(at("2001-01-01T00:00:00Z"), None, None, "Asia/Tokyo")
    assert window_start(None, "Asia/Tokyo") == BEGINNING


@given(
    st.timedeltas(timedelta(0), timedelta(days=364)).map(lambda d: at("2018-01-01T00:00Z") + d),
    days,
    st.integers(0, 40),
    st.sampled_from(ZONES),
)
def test_the_window_is_from_the_earlier_midnight_to_the_later_one(
    posted_at: datetime, start: date, length: int, zone: str
) -> None:
    end = start + timedelta(days=length)
    local_days = [posted_at.astimezone(ZoneInfo(name)).date() for name in ("UTC", zone)]
    not_before = max(local_days) >= start
    not_after = min(local_days) <= end
    assert in_window(posted_at, start, end, zone) == (not_before and not_after)


@given(days, st.sampled_from(ZONES))
def test_discovery_goes_back_to_the_first_instant_that_the_window_admits(
    start: date, zone: str
) -> None:
    first = window_start(start, zone)
    assert in_window(first, start, None, zone)
    assert not in_window(first - timedelta(microseconds=1), start, None, zone)
