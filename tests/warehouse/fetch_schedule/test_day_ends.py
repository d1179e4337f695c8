"""Ends of days in time zones, including clock changes at midnight, against Python."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import text

from warehouse.fetch_schedule.rule import LEAD, NEXT_DAY_END, START_OF_DAY
from warehouse.operational.store import OperationalStore
from warehouse.zones import start_of

DAY = timedelta(days=1)
YEAR_OF_ALL_DATA = 2025
"""PostgreSQL and Python may have different zone data for later years."""
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Atlantic/Azores",  # midnight comes twice in October
    "America/Havana",  # twice in November, not at all in March
    "America/Santiago",  # 23:00 to midnight comes twice
    "Asia/Beirut",
)


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_days_begins_when_python_says(store: OperationalStore, zone: str) -> None:
    days = [date(YEAR_OF_ALL_DATA, 1, 1) + number * DAY for number in range(365)]
    begins = START_OF_DAY.format(day="cast(day as timestamp)", zone=":zone")
    query = f"select day, {begins} as begins_at from unnest(cast(:days as date[])) as days (day)"
    with store.read_session() as session:
        rows = session.execute(text(query), {"days": days, "zone": zone}).all()
    assert {row.day: row.begins_at for row in rows} == {day: start_of(day, zone) for day in days}


@pytest.mark.parametrize("zone", ZONES)
def test_each_day_of_a_year_is_read_right_before_it_ends(
    store: OperationalStore, zone: str
) -> None:
    day_end_at = NEXT_DAY_END.format(
        at="cast(:at as timestamptz)", lead=LEAD.format(subject=":subject"), zone=":zone"
    )
    at, day_ends = start_of(date(YEAR_OF_ALL_DATA, 1, 1), zone), list[datetime]()
    with store.read_session() as session:
        while at < datetime(YEAR_OF_ALL_DATA + 1, 1, 1, tzinfo=UTC):
            values = {"at": at, "subject": "demo", "zone": zone}
            day_ends.append(session.scalars(text(f"select {day_end_at}"), values).one())
            at = day_ends[-1] + timedelta(minutes=7)
    ends = [
        start_of(date(YEAR_OF_ALL_DATA, 1, 2) + number * DAY, zone)
        for number in range(len(day_ends))
    ]
    leads = {end - day_end_at for day_end_at, end in zip(day_ends, ends, strict=True)}
    assert len(leads) == 1
    assert timedelta(minutes=12) <= leads.pop() <= timedelta(minutes=43)
