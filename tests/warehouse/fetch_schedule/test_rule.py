"""The fetch rule against an independent calculation, and its guarantees for every post."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.fixtures.operational import FreshDatabase
from tests.oracles.fetches import Facts, next_fetch
from warehouse.fetch_schedule.freshness import LONGEST, WANTS, Freshness
from warehouse.fetch_schedule.rule import NEXT_FETCHES

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NEXT = f"""
    with facts as (
        select
            %(looked_at)s::timestamptz as looked_at, %(posted_at)s::timestamptz as posted_at,
            %(read_at)s::timestamptz as read_at, %(views)s::bigint as views,
            %(views_a_day)s::float8 as views_a_day, %(threshold)s::bigint as threshold,
            %(day_end_at)s::timestamptz as day_end_at, %(deadline)s::timestamptz as deadline,
            %(share)s::float8 as share, %(shortest)s::float8 as shortest,
            %(longest)s::float8 as longest
    ),
    {NEXT_FETCHES}
    select due_at, reason, pays_at from next_fetches
"""

Rule = Callable[[Facts, Freshness], tuple[datetime, str, datetime | None]]


@pytest.fixture(scope="module")
def rule(databases: FreshDatabase) -> Iterator[Rule]:
    with databases() as url, psycopg.connect(url) as connection:

        def decide(facts: Facts, freshness: Freshness) -> tuple[datetime, str, datetime | None]:
            wants = WANTS[freshness]
            values = {name: getattr(facts, name) for name in Facts.__dataclass_fields__}
            limits = {name: getattr(wants, name) for name in ("share", "shortest", "longest")}
            row = connection.execute(NEXT, values | limits).fetchone()
            assert row is not None
            return row

        yield decide


def ago(longest: timedelta) -> st.SearchStrategy[timedelta]:
    return st.integers(0, int(longest.total_seconds())).map(
        lambda seconds: timedelta(seconds=seconds)
    )


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    looked_at = draw(st.none() | st.just(NOON))
    views = draw(st.none() | st.integers(0, 10**12))
    within = st.none() | ago(2 * DAY).map(lambda after: NOON + after)
    return Facts(
        looked_at=looked_at,
        posted_at=NOON - draw(ago(400 * DAY)) + draw(st.sampled_from([0 * HOUR, HOUR])),
        read_at=draw(st.none() | st.just(NOON) | ago(5 * DAY).map(lambda before: NOON - before)),
        views=views,
        views_a_day=draw(st.none() | st.floats(0, 1e12)) if views is not None else None,
        threshold=draw(st.none() | st.integers(views + 1, 10**13)) if views is not None else None,
        day_end_at=draw(within),
        deadline=draw(within),
    )


class TestEveryPost:
    @settings(
        max_examples=dose(60, 300),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(known=facts(), freshness=st.sampled_from(list(WANTS)))
    def test_the_rule_matches_examples_by_hand(
        self, rule: Rule, known: Facts, freshness: Freshness
    ) -> None:
        due_at, reason, pays_at = rule(known, freshness)
        expected_at, expected_reason, pays_from = next_fetch(known, WANTS[freshness])
        assert abs(due_at - expected_at) <= timedelta(milliseconds=1)
        assert reason == expected_reason
        assert (pays_at is None) == (pays_from is None)
        assert abs((pays_at or NOON) - (pays_from or NOON)) <= timedelta(milliseconds=1)

    @settings(max_examples=dose(60, 300), deadline=None)
    @given(known=facts(), freshness=st.sampled_from(list(WANTS)))
    def test_no_post_waits_longer_than_28_hours_or_is_fetched_without_end(
        self, rule: Rule, known: Facts, freshness: Freshness
    ) -> None:
        due_at, *_ = rule(known, freshness)
        if known.looked_at is not None:
            assert known.looked_at < due_at <= known.looked_at + timedelta(seconds=LONGEST)


class TestCases:
    @pytest.mark.parametrize(
        ("freshness", "changes", "after", "reason"),
        [
            ("standard", {}, 27 * HOUR, "idle"),
            ("fast", {}, 6 * HOUR, "idle"),
            ("frugal", {}, 27 * HOUR, "idle"),
            # 5% of 10,000 are 500 views: 12 hours at 1,000 a day
            ("standard", {"views_a_day": 1000.0}, 12 * HOUR, "growth"),
            ("fast", {"views_a_day": 1000.0}, 2.4 * HOUR, "growth"),
            ("standard", {"views_a_day": 1e9}, 2 * HOUR, "growth"),
            ("standard", {"posted_at": NOON - 8 * HOUR}, 4 * HOUR, "age"),
            ("standard", {"posted_at": NOON + HOUR}, 2 * HOUR, "age"),
            # 300 views short of a threshold, at 600 a day
            ("standard", {"views_a_day": 600.0, "threshold": 10_100}, 4 * HOUR, "threshold"),
            # after a failure: unread for three hours, so again in three hours
            ("standard", {"read_at": NOON - 3 * HOUR}, 3 * HOUR, "failed"),
            ("frugal", {"read_at": NOON - HOUR}, HOUR, "failed"),
            ("standard", {"read_at": None}, HOUR, "failed"),
            # an idle post may take off: a long wait ends with the day at any pace
            ("standard", {"day_end_at": NOON + 10 * HOUR}, 10 * HOUR, "day_end"),
            ("frugal", {"day_end_at": NOON + 10 * HOUR}, 10 * HOUR, "day_end"),
            ("fast", {"day_end_at": NOON + 10 * HOUR}, 6 * HOUR, "idle"),
            ("standard", {"day_end_at": NOON + 28 * HOUR}, 27 * HOUR, "idle"),
            # if a period ends with the day, a long wait ends right before it
            (
                "standard",
                {"day_end_at": NOON + 10 * HOUR, "deadline": NOON + 10.2 * HOUR},
                10.2 * HOUR,
                "period_end",
            ),
            (
                "standard",
                {"day_end_at": NOON + 10 * HOUR, "deadline": NOON + 15 * HOUR},
                10 * HOUR,
                "day_end",
            ),
            # a short wait ends with the day if the post grows: at 10 p.m. with 3 a day, not with 2
            (
                "standard",
                {"posted_at": NOON - 38 * HOUR, "views_a_day": 3.0, "day_end_at": NOON + 10 * HOUR},
                10 * HOUR,
                "day_end",
            ),
            (
                "standard",
                {"posted_at": NOON - 38 * HOUR, "views_a_day": 2.0, "day_end_at": NOON + 10 * HOUR},
                19 * HOUR,
                "age",
            ),
            (
                "standard",
                {"views_a_day": 5.0, "deadline": NOON + 10 * HOUR},
                10 * HOUR,
                "period_end",
            ),
            ("standard", {"views_a_day": 2.0, "deadline": NOON + 10 * HOUR}, 27 * HOUR, "idle"),
            # due in 12 hours, it waits for the end of the day unless a period ends first
            (
                "standard",
                {
                    "views_a_day": 1000.0,
                    "deadline": NOON + 12.5 * HOUR,
                    "day_end_at": NOON + 13 * HOUR,
                },
                12.5 * HOUR,
                "period_end",
            ),
        ],
    )
    def test_one(
        self,
        rule: Rule,
        freshness: Freshness,
        changes: dict[str, object],
        after: timedelta,
        reason: str,
    ) -> None:
        known = {
            "looked_at": NOON,
            "posted_at": NOON - 100 * DAY,
            "read_at": NOON,
            "views": 10_000,
            "views_a_day": 0.0,
        }
        due_at, why, _ = rule(Facts(**{**known, **changes}), freshness)  # type: ignore[arg-type]
        assert (due_at - NOON, why) == (after, reason)

    def test_posts_without_a_fetch_are_due_oldest_first(self, rule: Rule) -> None:
        assert rule(Facts(looked_at=None, posted_at=NOON - DAY), "frugal") == (
            NOON - DAY,
            "never_fetched",
            None,
        )
