"""From where series count: when each post and account of an entity was first read.

Before its first snapshot an entity's buckets are missing data; a first reading within the range is
a baseline (counting.md).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, TypedDict
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection

from warehouse.reading.series.members import ACCOUNTS, Rows, accounts_of, videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter
from warehouse.reading.series.query import SeriesQuery

FIRST_READINGS = """
    select
        member,
        {is_post} as is_post,
        cast({key} as varchar) as entity_id,
        strftime(first_captured_at, '%Y-%m-%dT%H:%M:%S.%fZ') as snapshot_at
    from ({members}) as members
    where first_captured_at is not null
"""


class FirstReading(TypedDict):
    """A post's or account's first reading: its id, and when (ISO 8601, UTC), as answers say it.

    As texts, made once for all answers: one can hold thousands of them.
    """

    entity_id: str
    snapshot_at: str
    reason: Literal["tracking_started"]


@dataclass(frozen=True, slots=True)
class FirstReadings:
    """First readings, the earliest first, and their instants."""

    instants: Sequence[datetime] = ()
    readings: list[FirstReading] = field(default_factory=list)

    @property
    def earliest(self) -> datetime | None:
        """When the first of all was; None before there is one."""
        return self.instants[0] if self.instants else None

    def of(self, entity_id: str) -> datetime | None:
        """Return when that of one was; None if it is not among them."""
        found = zip(self.instants, self.readings, strict=True)
        return next((at for at, one in found if one["entity_id"] == entity_id), None)

    def between(self, start: datetime, until: datetime) -> list[FirstReading]:
        """Return those from `start` to before `until`."""
        return self.readings[bisect_left(self.instants, start) : bisect_left(self.instants, until)]


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
        return len(self.of_posts.instants) + len(self.of_accounts.instants)

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
    statement = f"{' union all '.join(parts)} order by snapshot_at, entity_id"
    parameters = {"organization_id": query.organization_id, **videos.parameters}
    rows = cursor.execute(statement, parameters).fetchall()
    return {
        entity: Beginnings(_firsts(rows, entity, True), _firsts(rows, entity, False))
        for entity in query.entity_ids
    }


def day_in(zone: str, instant: datetime) -> date:
    """Return the calendar day of an instant in a zone."""
    return instant.astimezone(ZoneInfo(zone)).date()


def _part(members: Rows, key: str, *, is_post: bool) -> str:
    return FIRST_READINGS.format(is_post=is_post, key=key, members=members.sql)


def first_readings(rows: Iterable[tuple[str, str]]) -> FirstReadings:
    """Return first readings of (id, instant with six decimals of a second), the earliest first."""
    readings: list[FirstReading] = [
        {
            "entity_id": entity_id,
            "snapshot_at": snapshot_at.replace(".000000", ""),
            "reason": "tracking_started",
        }
        for entity_id, snapshot_at in rows
    ]
    return FirstReadings([datetime.fromisoformat(one["snapshot_at"]) for one in readings], readings)


def _firsts(
    rows: Sequence[tuple[UUID, bool, str, str]], entity: UUID, wants_posts: bool
) -> FirstReadings:
    return first_readings(
        (entity_id, snapshot_at)
        for member, is_post, entity_id, snapshot_at in rows
        if is_post == wants_posts and member == entity
    )
