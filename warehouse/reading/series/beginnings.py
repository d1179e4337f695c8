"""The first readings of an entity's posts and accounts, from which series count.

Buckets before an entity's first snapshot are missing data. A reading in the range that first shows
a counter is a baseline of that counter; one with another meaning of views than before is a
baseline of views (counting.md).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, TypedDict
from uuid import UUID
from zoneinfo import ZoneInfo

from duckdb import DuckDBPyConnection

from warehouse.reading.series.members import ACCOUNTS, Rows, accounts_of, videos_of
from warehouse.reading.series.metrics import POST_COUNTERS, Counter
from warehouse.reading.series.query import SeriesQuery

COLUMNS_OF_POSTS: Mapping[Counter | None, str] = {
    None: "first_captured_at",
    **{counter: f"{counter.removesuffix('s')}_first_captured_at" for counter in POST_COUNTERS},
}
COLUMNS_OF_ACCOUNTS: Mapping[Counter | None, str] = {
    None: "first_captured_at",
    "followers": "follower_first_captured_at",
}

Reason = Literal["tracking_started", "views_meaning_changed"]
Row = tuple[UUID, bool, str, str, bool, list[Counter] | None, Reason]

FIRST_READINGS = """
    select
        member,
        {is_post} as is_post,
        cast({key} as varchar) as entity_id,
        strftime(captured_at, '%Y-%m-%dT%H:%M:%S.%fZ') as snapshot_at,
        bool_or(counter is null) as is_first,
        list(distinct counter) filter (counter is not null) as counters,
        'tracking_started' as reason
    from ({readings}) as readings
    where captured_at is not null
    group by member, {key}, captured_at
"""
"""First readings, and first readings with a counter."""

FIRST_OF = """
    select
        members.member,
        members.{key},
        read.{captured_at} as captured_at,
        {counter} as counter
    from ({members}) as members
    inner join {mart} as read using ({key})
    where read.organization_id = $organization_id
"""


OTHER_MEANINGS = """
    select
        members.member,
        true as is_post,
        cast(video_id as varchar) as entity_id,
        strftime(baselines.captured_at, '%Y-%m-%dT%H:%M:%S.%fZ') as snapshot_at,
        false as is_first,
        ['views'] as counters,
        'views_meaning_changed' as reason
    from ({members}) as members
    inner join marts.videos as videos using (video_id)
    inner join marts.view_baselines as baselines using (video_id)
    where videos.organization_id = $organization_id
"""
"""Readings of posts whose views have another meaning than before."""


class FirstReading(TypedDict):
    """A baseline of a post or account: its id, and when (ISO 8601, UTC).

    Texts as in API answers, created once, because an answer can have thousands.
    """

    entity_id: str
    snapshot_at: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class FirstReadings:
    """First readings, the earliest first, and their instants."""

    instants: Sequence[datetime] = ()
    readings: list[FirstReading] = field(default_factory=list)

    @property
    def earliest(self) -> datetime | None:
        """The earliest instant; None without readings."""
        return self.instants[0] if self.instants else None

    def of(self, entity_id: str) -> datetime | None:
        """Return the instant of an entity's first reading; None if it has none."""
        firsts = zip(self.instants, self.readings, strict=True)
        return next((at for at, reading in firsts if reading["entity_id"] == entity_id), None)

    def between(self, start: datetime, until: datetime) -> list[FirstReading]:
        """Return those from `start` to before `until`."""
        return self.readings[bisect_left(self.instants, start) : bisect_left(self.instants, until)]


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The first readings of an entity's posts and accounts.

    `showing` has readings by the counters that they first showed, or showed in another meaning.
    """

    of_posts: FirstReadings = FirstReadings()
    of_accounts: FirstReadings = FirstReadings()
    showing: Mapping[frozenset[Counter], FirstReadings] = field(default_factory=dict)

    @property
    def first_snapshot_at(self) -> datetime | None:
        """The entity's first reading; None without any."""
        both = (self.of_posts.earliest, self.of_accounts.earliest)
        return min(filter(None, both), default=None)

    @property
    def first_readings(self) -> int:
        every = (self.of_posts, self.of_accounts, *self.showing.values())
        return sum(len(firsts.instants) for firsts in every)

    def counted_by(self, counters: Iterable[Counter]) -> list[FirstReadings]:
        """Return the readings that first showed any of the counters, none for numbers of posts."""
        counter_set = frozenset(counters)
        return [
            firsts
            for visible_counters, firsts in self.showing.items()
            if visible_counters & counter_set
        ]


def beginnings(cursor: DuckDBPyConnection, query: SeriesQuery) -> dict[UUID, Beginnings]:
    """Return each entity's first readings, empty if nothing was read yet."""
    videos = videos_of(query, "video_id")
    parts = [
        _part(videos, "video_id", "marts.videos", COLUMNS_OF_POSTS),
        OTHER_MEANINGS.format(members=videos.sql),
    ]
    if query.entity in ACCOUNTS:
        accounts = accounts_of(query, "account_id")
        parts.append(_part(accounts, "account_id", "marts.accounts", COLUMNS_OF_ACCOUNTS))
    statement = f"{' union all '.join(parts)} order by snapshot_at, entity_id"
    parameters = {"organization_id": query.organization_id, **videos.parameters}
    rows = cursor.execute(statement, parameters).fetchall()
    of_entities: dict[UUID, list[Row]] = {entity: [] for entity in query.entity_ids}
    for row in rows:
        of_entities[row[0]].append(row)
    return {entity: _beginnings(of_entity) for entity, of_entity in of_entities.items()}


def day_in(zone: str, instant: datetime) -> date:
    return instant.astimezone(ZoneInfo(zone)).date()


def _part(members: Rows, key: str, mart: str, columns: Mapping[Counter | None, str]) -> str:
    firsts = [
        FIRST_OF.format(
            key=key,
            members=members.sql,
            mart=mart,
            captured_at=column,
            counter=f"'{counter}'" if counter else "null",
        )
        for counter, column in columns.items()
    ]
    readings = " union all ".join(firsts)
    return FIRST_READINGS.format(is_post=key == "video_id", key=key, readings=readings)


def first_readings(rows: Iterable[tuple[str, str]]) -> FirstReadings:
    """Return first readings from (id, instant with microseconds), the earliest first."""
    return _in_time([_reading(entity_id, snapshot_at) for entity_id, snapshot_at in rows])


def _reading(entity_id: str, snapshot_at: str, reason: Reason = "tracking_started") -> FirstReading:
    return {
        "entity_id": entity_id,
        "snapshot_at": snapshot_at.replace(".000000", ""),
        "reason": reason,
    }


def _in_time(readings: list[FirstReading]) -> FirstReadings:
    return FirstReadings(
        [datetime.fromisoformat(reading["snapshot_at"]) for reading in readings], readings
    )


def _beginnings(rows: Iterable[Row]) -> Beginnings:
    """Return an entity's first readings from its rows, sorted by time."""
    firsts: dict[bool, list[FirstReading]] = {True: [], False: []}
    showing: dict[frozenset[Counter], list[FirstReading]] = defaultdict(list)
    for _, is_post, entity_id, snapshot_at, is_first, counters, reason in rows:
        reading = _reading(entity_id, snapshot_at, reason)
        if is_first:
            firsts[is_post].append(reading)
        if counters:
            showing[frozenset(counters)].append(reading)
    return Beginnings(
        _in_time(firsts[True]),
        _in_time(firsts[False]),
        {counters: _in_time(readings) for counters, readings in showing.items()},
    )
