"""Forecasts requests of the fetch schedule and freshness of its numbers.

A copy of the schedule is advanced by its own statements (`shadow`, `turns`). Assumptions: posts
grow by a guess, accounts publish as before, and every request succeeds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import psycopg

from warehouse.fetch_schedule.budget import DAY, allowance
from warehouse.fetch_schedule.freshness import STALE
from warehouse.fetch_schedule.shadow import shadow_plan
from warehouse.fetch_schedule.turns import assign_turns
from warehouse.operational.spending import Spent, spent_on
from warehouse.operational.store import OperationalStore

_SPENT = """
    select count(*) filter (where with_account) + coalesce(sum(pages + lone), 0)
    from reached where platform = %(platform)s and at >= %(midnight)s
"""
_PAYING = """
    select count(*) from visits
    where platform = %(platform)s and pays_at >= %(until)s and pays_at < %(tomorrow)s
"""
_ALLOW = """
    insert into allowed values (%(platform)s, %(visits)s, %(others)s)
    on conflict (platform) do update set visits = excluded.visits, others = excluded.others
"""


class Budgets:
    """The most requests per day, by platform. A sample has its share of them."""

    def __init__(
        self,
        store: OperationalStore,
        connection: psycopg.Connection,
        stands_for: int,
        most: Mapping[str, int],
    ) -> None:
        self.connection = connection
        self._stands_for = stands_for
        self._most = most
        self._today = store.clock().date()
        with store.read_session() as session:
            self._spent = spent_on(session, self._today)

    def allow(self, begins: datetime, until: datetime) -> None:
        """Set for each platform how many fetches are allowed between two instants."""
        midnight = begins.replace(hour=0, minute=0, second=0, microsecond=0)
        for platform, most in self._most.items():
            values = {"platform": platform, "midnight": midnight, "until": until}
            values["tomorrow"] = midnight + DAY
            spent, paying = self._count(_SPENT, values), self._count(_PAYING, values)
            if begins.date() == self._today:
                spent += self._spent.get(platform, Spent()).requests // self._stands_for
            allowed = allowance(most // self._stands_for, spent, paying, begins)
            self.connection.execute(
                _ALLOW,
                {"platform": platform, "visits": allowed.account_fetches, "others": allowed.others},
            )

    def _count(self, query: str, values: Mapping[str, object]) -> int:
        [[count]] = self.connection.execute(query, values).fetchall()
        return int(count)


LONGEST = 31
"""The most days of a forecast."""
BANDS = (1, 6, 12, 24, 28)
"""Ages in hours, for the share of time in which the newest reading is no older."""

_FETCHES = """
    select
        platform,
        floor(extract(epoch from at - %(begins)s) / 86400)::int + 1 as day,
        count(*) filter (where with_account) as profiles,
        count(*) filter (where pages > 0) as lists,
        sum(pages) as pages,
        sum(lone) as posts
    from reached
    group by 1, 2
    order by 1, 2
"""

_WAIT_ON = """
    insert into waited
    select fetches.video_id, least(coalesce(fetches.read_at, videos.created_at), %(ends)s), %(ends)s
    from post_looks as fetches inner join videos on fetches.video_id = videos.id
"""

_AGES = """
    select
        organizations.freshness,
        count(distinct waited.video_id) as posts,
        count(distinct waited.video_id) filter (
            where waited.ended - waited.began > %(stale)s
        ) as late,
        {bands}
    from waited
    inner join post_looks as fetches on waited.video_id = fetches.video_id
    inner join organizations on fetches.organization_id = organizations.id
    cross join lateral (select greatest(waited.began, %(begins)s) as seen_from) as seen
    group by 1
    order by 1
""".format(
    bands=",\n        ".join(
        f"""sum(extract(epoch from greatest(
            least(waited.ended, waited.began + interval '{hours} hours') - seen_from, '0'
        )))::float8 / nullif(sum(extract(epoch from waited.ended - seen_from)), 0)::float8"""
        for hours in BANDS
    )
)


@dataclass(frozen=True, slots=True)
class Lists:
    """Posts per request of a list, and the most such requests of an account fetch."""

    posts_a_page: int
    most_pages: int


@dataclass(frozen=True, slots=True)
class FetchesOfDay:
    """The fetches of a platform in 24 hours. `day` 1 begins now.

    `pages` are requests of `lists`; `posts` are requests of single posts.
    """

    platform: str
    day: int
    profiles: int
    lists: int
    pages: int
    posts: int


@dataclass(frozen=True, slots=True)
class Ages:
    """Ages of the newest readings of posts, for organizations of one freshness.

    `within` maps hours to the share of time (0 to 1) in which the newest reading is no older.
    `late` of the `posts` lack a reading for longer than 28 hours.
    """

    freshness: str
    posts: int
    late: int
    within: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of `days` from `begins`. `sampled`: computed from a sample of posts."""

    begins: datetime
    days: int
    sampled: bool
    fetches: tuple[FetchesOfDay, ...]
    ages: tuple[Ages, ...]


def forecast(
    store: OperationalStore,
    days: int,
    lists: Mapping[str, Lists],
    budgets: Mapping[str, int] | None = None,
) -> Forecast:
    """Advance a copy of the schedule by some days. Writes nothing.

    `lists` and `budgets` (the most requests per day) are by platform.
    """
    begins, span = store.clock(), timedelta(days=days)
    with shadow_plan(store, begins, span) as (connection, stands_for):
        _note_lists(connection, lists)
        if budgets:
            _go_within(Budgets(store, connection, stands_for, budgets), begins, begins + span)
        else:
            while assign_turns(connection, begins, begins + span):
                pass
        connection.execute(_WAIT_ON, {"ends": begins + span})
        return Forecast(
            begins,
            days,
            stands_for > 1,
            tuple(_fetches(connection, begins, stands_for)),
            tuple(_ages(connection, begins, stands_for)),
        )


def _go_within(budgets: Budgets, begins: datetime, ends: datetime) -> None:
    """Advance by hours, because the remaining budget changes with each."""
    hour = begins
    while hour < ends:
        until = min(ends, hour + timedelta(hours=1))
        budgets.allow(hour, until)
        while assign_turns(budgets.connection, hour, until):
            budgets.allow(hour, until)
        hour = until


def _note_lists(connection: psycopg.Connection, lists: Mapping[str, Lists]) -> None:
    for platform, paging in lists.items():
        values = (platform, paging.posts_a_page, paging.most_pages)
        connection.execute("insert into lists values (%s, %s, %s)", values)


def _fetches(connection: psycopg.Connection, begins: datetime, factor: int) -> list[FetchesOfDay]:
    rows = connection.execute(_FETCHES, {"begins": begins})
    return [
        FetchesOfDay(platform, day, *(int(count) * factor for count in counts))
        for platform, day, *counts in rows
    ]


def _ages(connection: psycopg.Connection, begins: datetime, factor: int) -> list[Ages]:
    rows = connection.execute(_AGES.encode(), {"begins": begins, "stale": STALE})
    return [
        Ages(freshness, posts * factor, late * factor, dict(zip(BANDS, shares, strict=True)))
        for freshness, posts, late, *shares in rows
    ]
