"""Coverage of accruals: how many of the planned view readings came on the paid days."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import add_rows, empty_marts
from warehouse.catalogue.models import relation_of
from warehouse.reading.accruals.published import evidence_of

CREATOR, ACCOUNT, REMOVED = UUID(int=2), UUID(int=3), UUID(int=4)
OURS, THEIRS = UUID(int=10), UUID(int=11)
AS_OF = datetime(2026, 4, 2, 12, tzinfo=UTC)
FIRST = date(2026, 3, 26)
"""Clocks change in New York on 8 March and in Berlin on 29 March."""
SCOPE = {
    "platform_scope": "all",
    "platform": None,
    "account_id": None,
    "view_lifetime_days": None,
}


@dataclass(frozen=True)
class Post:
    """A registered post with the views of its readings."""

    due_from: datetime | None
    due_until: datetime | None = None
    account: UUID = ACCOUNT
    posted_at: datetime | None = None
    readings: tuple[tuple[datetime, int | None], ...] = ()
    is_counted: bool = True
    organization: UUID = OURS


@dataclass(frozen=True)
class Terms:
    """An accrual: its covered days, their zone, and the lifetime of views."""

    spans: tuple[tuple[date, date], ...]
    zone: str = "UTC"
    lifetime_days: int | None = None


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty_marts() as connection:
        connection.execute("create table marts.publication as select $1 as as_of", [AS_OF])
        for account, is_active in ((ACCOUNT, True), (REMOVED, False)):
            row = {"account_id": str(account), "is_active": is_active}
            add_rows(connection, "accounts", [row])
        yield connection


def coverage_of(
    marts: duckdb.DuckDBPyConnection, posts: Sequence[Post], accruals: Sequence[Terms]
) -> list[dict[str, Any] | None]:
    """Return the coverage of accruals of the creator with these posts."""
    for table in ("videos", "video_deltas", "payout_earned"):
        marts.execute(f"delete from {relation_of(table)}")
    for number, post in enumerate(posts):
        _add_post(marts, UUID(int=100 + number), post)
    ids = [UUID(int=1000 + number) for number in range(len(accruals))]
    for accrual_id, accrual in zip(ids, accruals, strict=True):
        _add_accrual(marts, accrual_id, accrual)
    evidence = evidence_of(marts, OURS, ids)
    return [evidence[accrual_id]["view_coverage"] for accrual_id in ids]


def _add_post(marts: duckdb.DuckDBPyConnection, video_id: UUID, post: Post) -> None:
    row = {
        "video_id": str(video_id),
        "organization_id": str(post.organization),
        "creator_id": str(CREATOR),
        "account_id": str(post.account),
        "platform": "tiktok",
        "is_counted": post.is_counted,
        "posted_at": post.posted_at,
        "first_captured_at": min((at for at, _ in post.readings), default=None),
        "views_due_from": post.due_from,
        "views_due_until": post.due_until,
    }
    add_rows(marts, "videos", [row])
    for at, views in post.readings:
        reading = {"video_id": str(video_id), "captured_at": at}
        add_rows(marts, "video_deltas", [{**reading, "view_count": views, "like_count": 1}])


def _add_accrual(marts: duckdb.DuckDBPyConnection, accrual_id: UUID, terms: Terms) -> None:
    covered = [{"from": str(first), "to": str(last)} for first, last in terms.spans]
    last = terms.spans[-1][1] + timedelta(days=1)
    evidence = {**SCOPE, "view_lifetime_days": terms.lifetime_days, "covered": covered}
    row = {
        "accrual_id": str(accrual_id),
        "organization_id": str(OURS),
        "creator_id": str(CREATOR),
        "timezone": terms.zone,
        "period_start": terms.spans[0][0],
        "period_end": terms.spans[0][0],
        "ends_at": datetime(last.year, last.month, last.day, tzinfo=ZoneInfo(terms.zone)),
        "evidence": json.dumps({"type": "cpm", "videos": [], **evidence}),
    }
    add_rows(marts, "payout_earned", [row])


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day", "first_hour"),
    [("Atlantic/Azores", date(2025, 10, 26), 0), ("America/Havana", date(2025, 11, 2), 4)],
)
def test_a_day_with_two_midnights_begins_at_the_first(
    marts: duckdb.DuckDBPyConnection, zone: str, day: date, first_hour: int
) -> None:
    between_both = datetime(day.year, day.month, day.day, first_hour, 30, tzinfo=UTC)
    post = Post(between_both - timedelta(days=9), readings=((between_both, 5),))
    [coverage] = coverage_of(marts, [post], [Terms(((day, day),), zone)])
    assert (coverage["readings_due"], coverage["readings_came"]) == (1, 1)


LONG_AGO = at(1)
THREE_DAYS = Terms(((date(2026, 3, 26), date(2026, 3, 28)),))


def expected_coverage(due: int, came: int) -> dict[str, Any]:
    days = {"from_day": "2026-03-26", "to_day": "2026-03-28"}
    return {**days, "readings_due": due, "readings_came": came}


@pytest.mark.parametrize(
    "post",
    [
        Post(None),
        Post(LONG_AGO, is_counted=False),
        Post(LONG_AGO, account=REMOVED),
        Post(LONG_AGO, organization=THEIRS),
        Post(at(28)),
    ],
    ids=["disabled", "excluded", "account-removed", "of-others", "new"],
)
def test_without_planned_readings_there_is_no_coverage(
    marts: duckdb.DuckDBPyConnection, post: Post
) -> None:
    assert coverage_of(marts, [post], [THREE_DAYS]) == [None]


HOURS = st.integers(0, 9 * 24).map(lambda hours: at(25, 0) + timedelta(hours=hours))
INSTANTS = HOURS | st.integers(0, 9 * 86400).map(lambda s: at(25, 0) + timedelta(seconds=s))
POSTS = st.builds(
    Post,
    due_from=st.none() | INSTANTS | st.just(LONG_AGO),
    due_until=st.none() | INSTANTS,
    account=st.sampled_from([ACCOUNT, ACCOUNT, REMOVED]),
    posted_at=st.none() | INSTANTS,
    readings=st.lists(
        st.tuples(INSTANTS, st.none() | st.integers(0, 9)),
        max_size=12,
        unique_by=lambda reading: reading[0],
    ).map(tuple),
)
DAYS = st.integers(0, 7).map(lambda days: FIRST + timedelta(days=days))
SPANS = st.lists(DAYS, min_size=2, max_size=4, unique=True).map(
    lambda days: tuple(zip(sorted(days)[::2], sorted(days)[1::2], strict=False))
)
ACCRUALS = st.builds(
    Terms,
    spans=SPANS,
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati"]),
    lifetime_days=st.none() | st.integers(1, 5),
)


@pytest.mark.slow
@given(posts=st.lists(POSTS, max_size=4), accruals=st.lists(ACCRUALS, min_size=1, max_size=3))
@settings(max_examples=dose(15, 50), deadline=None)
def test_it_equals_counting_day_by_day(
    marts: duckdb.DuckDBPyConnection, posts: list[Post], accruals: list[Terms]
) -> None:
    assert coverage_of(marts, posts, accruals) == [_counted(posts, accrual) for accrual in accruals]


def _counted(posts: Sequence[Post], terms: Terms) -> dict[str, Any] | None:
    """Count planned and completed readings by the local date of each reading."""
    zone = ZoneInfo(terms.zone)
    today = AS_OF.astimezone(zone).date()
    days = [day for first, last in terms.spans for day in _days(first, last) if day < today]
    due = came = 0
    for post in posts:
        days_read = {
            instant.astimezone(zone).date() for instant, views in post.readings if views is not None
        }
        ours = [day for day in days if _is_due(post, terms, day, zone)]
        due += len(ours)
        came += sum(day in days_read for day in ours)
    if not due:
        return None
    ends = {"from_day": str(days[0]), "to_day": str(days[-1])}
    return {**ends, "readings_due": due, "readings_came": came}


def _is_due(post: Post, terms: Terms, day: date, zone: ZoneInfo) -> bool:
    if post.due_from is None or post.account == REMOVED:
        return False
    ends = [post.due_until]
    first_read = min((instant for instant, _ in post.readings), default=None)
    published = post.posted_at or first_read
    if terms.lifetime_days is not None and published is not None:
        ends.append(published + timedelta(days=terms.lifetime_days))
    is_before = all(day < end.astimezone(zone).date() for end in ends if end is not None)
    return post.due_from.astimezone(zone).date() < day and is_before


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]
