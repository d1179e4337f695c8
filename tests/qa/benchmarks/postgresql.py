"""The numbers of analytics from PostgreSQL: the same marts, with fitting indexes.

What stands here takes the place of the functions of `warehouse.reading` that ask a publication; all
else of an answer is made by the same code. Days only, which is what the benchmarks ask for.
"""

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch
from uuid import UUID

import duckdb
import psycopg

from serving_api.kit.published import Published
from serving_api.resources.analytics.series import figures
from warehouse.catalogue.models import relation_of
from warehouse.operational.store import OperationalStore
from warehouse.publication.info import PublicationInfo
from warehouse.publication.layout import CURRENT
from warehouse.reading.milestones import Milestone
from warehouse.reading.series import analytics, known
from warehouse.reading.series.beginnings import Beginnings, first_readings
from warehouse.reading.series.changes import Changes
from warehouse.reading.series.known import Known
from warehouse.reading.series.metrics import POST_COUNTERS
from warehouse.reading.series.query import Member, SeriesQuery
from warehouse.reading.series.totals import Sums, sums_of
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.shards.publications import ShardPublications

Connection = psycopg.Connection
ORG_ZONE = "UTC"
CHUNK = 1024 * 1024

INDEXES = {
    "organizations": "organization_id",
    "accounts": "creator_id",
    "creator_videos": "creator_id",
    "creator_daily": "creator_id, day",
    "creator_milestones": "creator_id",
    "campaign_accounts": "campaign_id",
    "campaign_videos": "campaign_id",
    "campaign_daily": "campaign_id, day",
    "campaign_creator_daily": "campaign_id, day) include (creator_id, new_views",
    "campaign_quarter_hours": "campaign_id, quarter_at) include (new_views",
    "video_daily": "video_id, day) include (new_views",
}
"""Each mart that is read, and the columns of its index."""

TOTALS = """
    select {entity}_id, array_agg(day), array_agg(new_views)
    from (
        select {entity}_id, case when day >= %(first)s then day end, sum(new_views)::bigint
        from numbers.{entity}_daily
        where {entity}_id = any(%(ids)s) and day <= %(last)s
        group by 1, 2
    ) as summed ({entity}_id, day, new_views)
    group by 1
"""
IN_OTHER_ZONE = """
    with quarters as (
        select campaign_id, (quarter_at at time zone %(zone)s)::date as day, new_views
        from numbers.campaign_quarter_hours
        where campaign_id = any(%(ids)s) and quarter_at < %(last)s::timestamptz + interval '3 days'
    )
    select campaign_id, array_agg(day), array_agg(new_views)
    from (
        select campaign_id, case when day >= %(first)s then day end, sum(new_views)::bigint
        from quarters
        where day <= %(last)s
        group by 1, 2
    ) as summed (campaign_id, day, new_views)
    group by 1
"""
LARGEST_CREATORS = """
    with in_range as (
        select creator_id as member, day, new_views
        from numbers.campaign_creator_daily
        where campaign_id = any(%(ids)s) and day between %(first)s and %(last)s
            and creator_id is not null
    )
"""
LARGEST_VIDEOS = """
    with in_range as (
        select video_id as member, day, new_views
        from numbers.video_daily
        inner join numbers.campaign_videos using (video_id)
        where campaign_id = any(%(ids)s) and day between %(first)s and %(last)s
    )
"""
PLACED = """,
    placed as (
        select member, sum(new_views) as total
        from in_range
        group by member
        order by total desc, member
        limit %(at_most)s
    )
    select member, array_agg(day), array_agg(new_views)
    from in_range
    inner join placed using (member)
    group by member, total
    order by total desc, member
"""
FIRST_READINGS = """
    select video_id::text, to_char(first_captured_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    from numbers.{entity}_videos
    where {entity}_id = any(%(ids)s) and first_captured_at is not null
    order by 2, 1
"""
FIRST_READINGS_OF_ACCOUNTS = """
    select account_id::text, to_char(first_captured_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    from numbers.{accounts}
    where {entity}_id = any(%(ids)s) and first_captured_at is not null
    order by 2, 1
"""
MILESTONES = """
    select creator_id, counted, threshold, day, analytics_tz
    from numbers.creator_milestones
    inner join numbers.organizations using (organization_id)
    where creator_id = any(%(ids)s)
"""


def copy_marts(settings: Settings, store: OperationalStore) -> None:
    """Copy the marts that analytics read from the publication into the schema `numbers`."""
    published = settings.publications_path / CURRENT
    with (
        psycopg.connect(store.dsn, autocommit=True) as target,
        duckdb.connect(published, read_only=True) as source,
        TemporaryDirectory(dir=settings.home) as folder,
    ):
        target.execute("drop schema if exists numbers cascade")
        target.execute("create schema numbers")
        for mart, index in INDEXES.items():
            _copy(source, target, mart, Path(folder) / "rows.csv")
            target.execute(_sql(f"create index on numbers.{mart} ({index})"))
            target.execute(_sql(f"vacuum analyze numbers.{mart}"))


def _copy(source: duckdb.DuckDBPyConnection, target: Connection, mart: str, file: Path) -> None:
    columns = source.execute(f"select column_name, column_type from (describe {relation_of(mart)})")
    shape = ", ".join(f"{name} {kind}" for name, kind in columns.fetchall())
    target.execute(_sql(f"create table numbers.{mart} ({shape})"))
    source.execute(f"copy (from {relation_of(mart)}) to '{file}' (format csv, header false)")
    into = _sql(f"copy numbers.{mart} from stdin (format csv)")
    with file.open("rb") as rows, target.cursor() as cursor, cursor.copy(into) as copy:
        while part := rows.read(CHUNK):
            copy.write(part)


def _sql(text: str) -> bytes:
    """Return a statement as psycopg takes one that was put together."""
    return text.encode()


@contextmanager
def answering_from_postgresql() -> Iterator[None]:
    """Let this process ask PostgreSQL where it would ask a publication."""
    theirs = {
        analytics: (of_all_time, sums_by_bucket, largest),
        known: (beginnings, zone_of_days),
        figures: (milestones,),
    }
    with ExitStack() as stack:
        for module, functions in theirs.items():
            for function in functions:
                stack.enter_context(patch.object(module, function.__name__, function))
        yield


def zone_of_days(connection: Connection, organization_id: UUID) -> str:
    """Return the zone of the daily marts."""
    statement = "select analytics_tz from numbers.organizations where organization_id = %s"
    [(zone,)] = connection.execute(statement, [organization_id]).fetchall()
    return str(zone)


def of_all_time(_query: SeriesQuery, _known: Known) -> None:
    """Tell that each range is asked for: tables change, and no days of theirs are kept."""


def sums_by_bucket(connection: Connection, query: SeriesQuery, _: Changes) -> dict[UUID, Sums]:
    """Return the sums of creators' and campaigns' views, of campaigns in any zone."""
    statement = TOTALS if query.zone == ORG_ZONE else IN_OTHER_ZONE
    return _sums(connection, query, statement.format(entity=query.entity))


def largest(
    connection: Connection, query: SeriesQuery, _: Known, kind: Member, at_most: int
) -> dict[UUID, Sums]:
    """Return the days of a campaign's largest members."""
    in_range = LARGEST_CREATORS if kind == "creator" else LARGEST_VIDEOS
    return _sums(connection, query, in_range + PLACED, at_most=at_most)


def beginnings(connection: Connection, query: SeriesQuery) -> dict[UUID, Beginnings]:
    """Return the first readings of one entity's posts and accounts."""
    accounts = "accounts" if query.entity == "creator" else "campaign_accounts"
    firsts = [
        connection.execute(_sql(statement), {"ids": list(query.entity_ids)}).fetchall()
        for statement in (
            FIRST_READINGS.format(entity=query.entity),
            FIRST_READINGS_OF_ACCOUNTS.format(entity=query.entity, accounts=accounts),
        )
    ]
    of_posts, of_accounts = map(first_readings, firsts)
    showing = {frozenset(POST_COUNTERS): of_posts, frozenset({"followers"}): of_accounts}
    return {query.entity_ids[0]: Beginnings(of_posts, of_accounts, showing)}


def milestones(connection: Connection, _: UUID, creator_ids: Collection[UUID]) -> list[Milestone]:
    rows = connection.execute(MILESTONES, {"ids": list(creator_ids)})
    return [Milestone(*row) for row in rows.fetchall()]


class Numbers(Published):
    """What the handler asks for a publication: a connection of PostgreSQL.

    Of the publication it is told only which one it is.
    """

    def __init__(self, store: OperationalStore, current: ShardPublications) -> None:
        super().__init__(current)
        self._store = store
        self._info = current.infos()[MAIN_SHARD]

    def of(self, _organization_id: UUID, _project_id: UUID | None = None) -> "Numbers":
        """Return itself: the tables have all organizations."""
        return self

    @contextmanager
    def pinned(self) -> Iterator["Numbers"]:
        """Yield itself: the tables stay as they are."""
        yield self

    @contextmanager
    def reading(self) -> Iterator[tuple[Any, PublicationInfo]]:
        """Yield a connection, and the publication whose numbers it has."""
        with self._store.statements() as connection:
            yield connection, self._info


def _sums(
    connection: Connection, query: SeriesQuery, statement: str, **parameters: object
) -> dict[UUID, Sums]:
    bounds = {"first": query.first_day, "last": query.last_day, "zone": query.zone}
    values = {**bounds, "ids": list(query.entity_ids), **parameters}
    used = {name: value for name, value in values.items() if f"%({name})s" in statement}
    rows = connection.execute(_sql(statement), used).fetchall()
    return sums_of(rows, query.counters)
