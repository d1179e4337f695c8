"""Status of accruals by time and by decision in edge cases (money.md M17)."""

import json
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from zoneinfo import ZoneInfo

import duckdb
import pytest

from warehouse.zones import start_of, zone_names

OF_10_MAY = """
    select rules.status_by_time(
        cast($as_of as timestamptz),
        timestamptz '2026-05-10 22:00:00+00',
        date '2026-05-10',
        'Europe/Berlin',
        $settling_days
    )
"""

MAY_13 = date(2026, 5, 13)
OF_EVERY_ZONE = """
    select rules.status_by_time(as_of, as_of - interval 1 day, date '2026-05-10', zone, 2)
    from (
        select unnest(
            from_json($moments, '[{"zone": "VARCHAR", "as_of": "TIMESTAMPTZ"}]'), max_depth := 2
        )
    )
"""

DIFFERENT_DAYS = """
    select
        zone,
        shown_at
    from (
        select unnest(
            from_json($days, '[{"zone": "VARCHAR", "shown_at": "TIMESTAMPTZ", "day": "DATE"}]'),
            max_depth := 2
        )
    )
    where day <> rules.day_in(zone, shown_at)
"""


def packaged(name: str) -> ZoneInfo:
    """Return a zone from the packaged database, not the machine's."""
    with (files("tzdata") / "zoneinfo" / name).open("rb") as file:
        return ZoneInfo.from_file(file, name)


@pytest.mark.parametrize(
    ("as_of", "settling_days", "status"),
    [
        ("2026-05-10 21:59:59.999999", 0, "open"),
        ("2026-05-10 22:00:00", 0, "final"),
        ("2026-05-10 21:59:59.999999", 2, "open"),
        ("2026-05-10 22:00:00", 2, "settling"),
        ("2026-05-12 21:59:59.999999", 2, "settling"),
        ("2026-05-12 22:00:00", 2, "final"),
        ("2026-05-14 23:00:00", 2, "final"),
        ("2026-08-08 21:59:59.999999", 90, "settling"),
        ("2026-08-08 22:00:00", 90, "final"),
    ],
)
def test_an_accrual_is_open_then_settles_then_is_final(
    rules: duckdb.DuckDBPyConnection, as_of: str, settling_days: int, status: str
) -> None:
    """Berlin's 11 May begins at 22:00 UTC on the 10th."""
    parameters = {"as_of": f"{as_of}+00", "settling_days": settling_days}
    assert rules.execute(OF_10_MAY, parameters).fetchall() == [(status,)]


@pytest.mark.parametrize(
    ("of_organization", "is_checked", "days"),
    [
        (0, False, 0),
        (0, None, 0),
        (1, False, 1),
        (0, True, 2),
        (1, True, 2),
        (2, True, 2),
        (30, True, 30),
    ],
)
def test_readings_that_are_checked_take_two_days_at_least(
    rules: duckdb.DuckDBPyConnection, of_organization: int, is_checked: bool | None, days: int
) -> None:
    query = "select rules.settling_days($1, $2)"
    assert rules.execute(query, [of_organization, is_checked]).fetchall() == [(days,)]


def test_every_zone_settles_to_the_end_of_its_own_day(rules: duckdb.DuckDBPyConnection) -> None:
    """Includes the extreme zones, for which a shortcut must not return `final` too early."""
    moments = [
        {
            "zone": zone,
            "as_of": (start_of(MAY_13, zone) + timedelta(microseconds=since)).isoformat(),
        }
        for zone in sorted(zone_names())
        for since in (-1, 0)
    ]
    rows = rules.execute(OF_EVERY_ZONE, {"moments": json.dumps(moments)}).fetchall()
    assert rows == [("settling",), ("final",)] * len(zone_names())


def test_duckdb_knows_every_zone_and_shows_the_days_that_python_shows(
    rules: duckdb.DuckDBPyConnection,
) -> None:
    """Both have a zone database: after an upgrade of one, it may know more zones."""
    instants = [
        datetime(2026, month, 1, hour, 30, tzinfo=UTC)
        for month in (1, 7)
        for hour in (0, 5, 11, 13, 23)
    ]
    days = [
        {"zone": name, "shown_at": at.isoformat(), "day": str(at.astimezone(zone).date())}
        for name in sorted(zone_names())
        for zone in [packaged(name)]
        for at in instants
    ]
    assert rules.execute(DIFFERENT_DAYS, {"days": json.dumps(days)}).fetchall() == []


@pytest.mark.parametrize(
    ("decision", "approved_cents", "by_time", "status"),
    [
        (None, None, "open", "open"),
        (None, 100, "settling", "settling"),
        ("void", 90, "final", "void"),
        ("void", 100, "open", "void"),
        ("approved", 100, "settling", "approved"),
        ("approved", 100, "open", "approved"),
        ("approved", 90, "settling", "final"),
        ("approved", 90, "final", "final"),
        ("approved", 90, "open", "open"),
    ],
)
def test_a_decision_is_of_an_amount_and_a_void_sticks(
    rules: duckdb.DuckDBPyConnection,
    decision: str | None,
    approved_cents: int | None,
    by_time: str,
    status: str,
) -> None:
    query = "select rules.decided_status($1, $2, 100, $3, false)"
    assert rules.execute(query, [decision, approved_cents, by_time]).fetchall() == [(status,)]


@pytest.mark.parametrize(
    ("approved_cents", "by_time", "status"),
    [
        (100, "settling", "approved"),
        (90, "settling", "settling"),
        (90, "final", "final"),
        (90, "open", "open"),
    ],
)
def test_an_amount_with_new_readings_is_not_final_before_they_can_be_judged(
    rules: duckdb.DuckDBPyConnection, approved_cents: int, by_time: str, status: str
) -> None:
    """An approval must not release bought views that arrive after it."""
    query = "select rules.decided_status('approved', $1, 100, $2, true)"
    assert rules.execute(query, [approved_cents, by_time]).fetchall() == [(status,)]


@pytest.mark.parametrize(
    ("decision", "approved_cents", "note"),
    [
        (None, None, "said"),
        ("void", 90, "said"),
        ("approved", 100, "said"),
        ("approved", -123_456_789, "approved at -$1,234,567.89, recomputed to $1.00"),
        ("approved", 90, "approved at $0.90, recomputed to $1.00"),
        ("approved", -1, "approved at -$0.01, recomputed to $1.00"),
    ],
)
def test_a_note_has_the_reason_of_a_lapsed_approval(
    rules: duckdb.DuckDBPyConnection, decision: str | None, approved_cents: int | None, note: str
) -> None:
    query = "select rules.decided_note($1, $2, 100, 'said')"
    assert rules.execute(query, [decision, approved_cents]).fetchall() == [(note,)]
