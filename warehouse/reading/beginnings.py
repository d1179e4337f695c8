"""From where series count: when each post and account of an entity was first read.

Before its first snapshot an entity's buckets are missing data; a first reading within the range is
a baseline (decisions.md, Analytics).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection

from warehouse.reading.members import ACCOUNTS, Rows, accounts_of, videos_of
from warehouse.reading.metrics import POST_COUNTERS, Counter
from warehouse.reading.series_query import SeriesQuery

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

FIRST_READINGS = """
    select
        member,
        {is_post} as is_post,
        cast({key} as varchar) as entity_id,
        epoch_us(first_captured_at) as microseconds
    from ({members}) as members
    where first_captured_at is not null
"""


@dataclass(frozen=True, slots=True)
class FirstReading:
    """A post's or account's first reading (UTC). The id is text: answers hold thousands of them."""

    entity_id: str
    snapshot_at: datetime


@dataclass(frozen=True, slots=True)
class FirstReadings:
    """First readings, the earliest first: ids, and microseconds since 1970 (UTC)."""

    ids: Sequence[str] = ()
    microseconds: Sequence[int] = ()

    @property
    def earliest(self) -> datetime | None:
        """The first of all; None before there is one."""
        return _instant(self.microseconds[0]) if self.microseconds else None

    def between(self, start: datetime, until: datetime) -> list[FirstReading]:
        """Return those from `start` to before `until`."""
        first, end = (
            bisect_left(self.microseconds, (bound - EPOCH) // MICROSECOND)
            for bound in (start, until)
        )
        return [
            FirstReading(self.ids[place], _instant(self.microseconds[place]))
            for place in range(first, end)
        ]


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The first readings of an entity's posts and of its accounts."""

    of_posts: FirstReadings = FirstReadings()
    of_accounts: FirstReadings = FirstReadings()

    @property
    def first_snapshot_at(self) -> datetime | None:
        """The entity's first reading; None before there is one."""
        both = (self.of_posts.earliest, self.of_accounts.earliest)
        return min(filter(None, both), default=None)

    @property
    def first_readings(self) -> int:
        """How many there are."""
        return len(self.of_posts.ids) + len(self.of_accounts.ids)

    def counted_by(self, counters: Iterable[Counter]) -> list[FirstReadings]:
        """Return the first readings from which the counters count: none for posts as such."""
        asked = set(counters)
        found = [self.of_posts] if asked.intersection(POST_COUNTERS) else []
        return [*found, self.of_accounts] if "followers" in asked else found


def beginnings(cursor: DuckDBPyConnection, query: SeriesQuery) -> dict[UUID, Beginnings]:
    """Return the beginnings of each of the entities, also of those with nothing read yet."""
    videos = videos_of(query, "video_id, first_captured_at")
    parts = [_part(videos, "video_id", is_post=True)]
    if query.entity in ACCOUNTS:
        accounts = accounts_of(query, "account_id, first_captured_at")
        parts.append(_part(accounts, "account_id", is_post=False))
    statement = f"{' union all '.join(parts)} order by microseconds, entity_id"
    parameters = {"organization_id": query.organization_id, **videos.parameters}
    rows = cursor.execute(statement, parameters).fetchall()
    return {
        entity: Beginnings(_firsts(rows, entity, True), _firsts(rows, entity, False))
        for entity in query.entity_ids
    }


def day_in(zone: str, instant: datetime | None) -> date | None:
    """Return the calendar day of an instant in a zone."""
    return instant.astimezone(ZoneInfo(zone)).date() if instant else None


def _part(members: Rows, key: str, *, is_post: bool) -> str:
    return FIRST_READINGS.format(is_post=is_post, key=key, members=members.sql)


def _firsts(
    rows: Sequence[tuple[UUID, bool, str, int]], entity: UUID, wants_posts: bool
) -> FirstReadings:
    found = [
        (entity_id, microseconds)
        for member, is_post, entity_id, microseconds in rows
        if is_post == wants_posts and member == entity
    ]
    return FirstReadings([one for one, _ in found], [at for _, at in found])


def _instant(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)
