"""Posts with stale views at the end of a CPM period, and posts left out for now."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import add_rows, empty_marts
from warehouse.reading.accruals.published import evidence_of

ACCRUAL, CREATOR, ACCOUNT = UUID(int=1), UUID(int=2), UUID(int=3)
OURS, THEIRS = UUID(int=10), UUID(int=11)
START = datetime(2026, 3, 1, tzinfo=UTC)
ENDS = START + timedelta(hours=7)
VIEWS, LIKES = (100, 5), (None, 6)
SCOPE = {
    "platform_scope": "all",
    "platform": None,
    "account_id": None,
    "view_lifetime_days": None,
}

Shown = tuple[int | None, int | None]
"""Views and likes of a reading; readings are an hour apart."""


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty_marts() as connection:
        connection.execute("create table marts.publication as select $1 as as_of", [ENDS])
        yield connection


def at(number: float) -> datetime:
    return START + timedelta(hours=number)


def post(
    marts: duckdb.DuckDBPyConnection, number: int, readings: Sequence[Shown], **columns: Any
) -> str:
    """Add a post of the creator with one reading per hour."""
    video_id = str(UUID(int=100 + number))
    row = {
        "video_id": video_id,
        "organization_id": str(OURS),
        "creator_id": str(CREATOR),
        "account_id": str(ACCOUNT),
        "platform": "instagram",
        "is_counted": True,
        "posted_at": START,
        "first_captured_at": START,
        "last_captured_at": at(len(readings) - 1) if readings else None,
        "view_captured_at": max(
            (at(hour) for hour, (views, _) in enumerate(readings) if views is not None),
            default=None,
        ),
        **columns,
    }
    add_rows(marts, "videos", [row])
    for hour, (views, likes) in enumerate(readings):
        reading = {"video_id": video_id, "captured_at": at(hour)}
        add_rows(marts, "video_deltas", [{**reading, "view_count": views, "like_count": likes}])
    return video_id


def stale_since(
    marts: duckdb.DuckDBPyConnection, organization: UUID = OURS, **scope: Any
) -> dict[str, str]:
    """Return by post since when its views are stale, from the evidence of that day's accrual."""
    covered = [{"from": "2026-03-01", "to": "2026-03-01"}]
    evidence = {"type": "cpm", "videos": [], "covered": covered, **SCOPE, **scope}
    views_as_of = read(marts, evidence, organization)["views_as_of"]
    assert [*views_as_of] == sorted(
        views_as_of, key=lambda row: (row["views_as_of"], row["video_id"])
    )
    return {row["video_id"]: row["views_as_of"] for row in views_as_of}


def read(
    marts: duckdb.DuckDBPyConnection, evidence: dict[str, Any], organization: UUID = OURS
) -> dict[str, Any]:
    """Return the evidence of that day's accrual as it is read."""
    marts.execute("delete from machinery.payout_earned")
    row = {
        "accrual_id": str(ACCRUAL),
        "organization_id": str(organization),
        "creator_id": str(CREATOR),
        "timezone": "UTC",
        "period_start": "2026-03-01",
        "period_end": "2026-03-01",
        "ends_at": ENDS,
        "evidence": json.dumps(evidence),
    }
    add_rows(marts, "payout_earned", [row])
    return evidence_of(marts, organization, [ACCRUAL])[ACCRUAL]


def instant(number: float) -> str:
    return at(number).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


@pytest.fixture(autouse=True)
def _empty(marts: duckdb.DuckDBPyConnection) -> None:
    marts.execute("delete from marts.videos")
    marts.execute("delete from marts.video_deltas")


def test_only_posts_that_could_count_are_listed(marts: duckdb.DuckDBPyConnection) -> None:
    video_id = post(marts, 1, [VIEWS, LIKES])
    post(marts, 2, [VIEWS, LIKES], is_counted=False)
    theirs = post(marts, 3, [VIEWS, LIKES], organization_id=str(THEIRS))
    post(marts, 4, [VIEWS, LIKES], creator_id=str(UUID(int=9)))
    other = post(marts, 5, [VIEWS, LIKES], platform="tiktok", account_id=str(UUID(int=9)))
    assert set(stale_since(marts)) == {video_id, other}
    assert set(stale_since(marts, platform_scope="platform", platform="tiktok")) == {other}
    assert set(stale_since(marts, platform_scope="account", account_id=str(ACCOUNT))) == {video_id}
    assert set(stale_since(marts, THEIRS)) == {theirs}


@pytest.mark.parametrize(
    ("days", "posted", "is_listed"),
    [(1, 0, True), (1, -23.9, True), (1, -24, False), (2, -47.5, False), (2, -24, True)],
)
def test_a_post_whose_lifetime_was_over_before_is_left_out(
    marts: duckdb.DuckDBPyConnection, days: int, posted: float, is_listed: bool
) -> None:
    """Nothing is missing if views were read at its end, or the period begins after it."""
    readings = [VIEWS, LIKES] if days == 1 else [VIEWS, VIEWS, LIKES]
    post(marts, 1, readings, posted_at=at(posted))
    assert bool(stale_since(marts, view_lifetime_days=days)) == is_listed


def test_evidence_without_a_scope_is_unchanged(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    assert "views_as_of" not in read(marts, {"type": "cpm", "videos": []})


@pytest.mark.parametrize("kind", ["cpm", "goals"])
def test_posts_that_are_left_out_until_their_posting_time_is_known(
    marts: duckdb.DuckDBPyConnection, kind: str
) -> None:
    """Not if the wait is over, the first reading is later, or the post does not count."""
    held = post(marts, 1, [VIEWS], posted_at_awaited_until=at(30))
    first = post(marts, 2, [VIEWS], posted_at_awaited_until=at(20))
    post(marts, 3, [VIEWS], posted_at_awaited_until=ENDS)
    post(marts, 4, [VIEWS], posted_at_awaited_until=at(30), first_captured_at=ENDS)
    post(marts, 5, [VIEWS], posted_at_awaited_until=at(30), is_counted=False)
    post(marts, 6, [VIEWS], posted_at_awaited_until=at(30), organization_id=str(THEIRS))
    assert read(marts, {"type": kind, "videos": []})["held"] == [
        {"video_id": first, "posted_at_awaited_until": instant(20)},
        {"video_id": held, "posted_at_awaited_until": instant(30)},
    ]


def test_evidence_that_does_not_depend_on_posts_omits_them(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    post(marts, 1, [VIEWS, LIKES], posted_at_awaited_until=at(30))
    assert read(marts, {"type": "recurring", "days": 7}) == {"type": "recurring", "days": 7}


@pytest.mark.slow
@given(
    posts=st.lists(
        st.lists(st.tuples(st.none() | st.just(1), st.none() | st.just(1)), max_size=9), max_size=3
    )
)
@settings(max_examples=dose(10, 30), deadline=None)
def test_it_equals_a_scan_of_the_readings(
    marts: duckdb.DuckDBPyConnection, posts: list[list[Shown]]
) -> None:
    marts.execute("delete from marts.videos")
    marts.execute("delete from marts.video_deltas")
    expected = {}
    for number, readings in enumerate(posts):
        video_id = post(marts, number, readings)
        seen = [hour for hour in range(len(readings)) if at(hour) < ENDS]
        with_views = [hour for hour in seen if readings[hour][0] is not None]
        if with_views and with_views[-1] != seen[-1]:
            expected[video_id] = instant(with_views[-1])
    assert stale_since(marts) == expected
