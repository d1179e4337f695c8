"""Coverage of due view readings of accounts, campaigns and projects."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.by_ids import read_by_ids
from warehouse.zones import start_of

COVERAGE = """
    select
        entity_id,
        from_day,
        to_day,
        readings_due,
        readings_came
    from marts.view_coverage
    where
        organization_id = $organization_id
        and entity_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""

# As defined by marts.view_coverage (macros/counts/view_readings_due.sql).
BY_DAY = """
    with

    posts as (
        select
            videos.video_id,
            cast(timezone($zone, videos.views_due_from) as date) + 1 as first_day,
            cast(timezone($zone, videos.views_due_until) as date) as until_day
        from marts.videos as videos
        left join marts.accounts as accounts using (account_id)
        where
            videos.organization_id = $organization_id
            and videos.project_id = $project_id
            and videos.is_counted
            and videos.views_due_from is not null
            and coalesce(accounts.is_active, true)
    ),

    days as (
        select cast(unnest(generate_series($from_day, $to_day, interval 1 day)) as date) as day
    ),

    due as (
        select
            posts.video_id,
            days.day
        from days
        inner join posts
            on
                days.day >= posts.first_day
                and (posts.until_day is null or days.day < posts.until_day)
    ),

    readings as (
        select distinct
            video_id,
            cast(timezone($zone, captured_at) as date) as day
        from marts.video_deltas
        semi join posts using (video_id)
        where
            view_count is not null
            and captured_at >= $from_at
            and captured_at < $until_at
    )

    select
        due.day,
        count(*) as readings_due,
        count(readings.video_id) as readings_came
    from due
    left join readings using (video_id, day)
    group by due.day
"""


@dataclass(frozen=True, slots=True)
class ViewCoverage:
    """Coverage over inclusive organization-local days: one reading of each post is due per day."""

    from_day: date
    to_day: date
    readings_due: int
    readings_came: int


def view_coverage(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> dict[UUID, ViewCoverage]:
    """Return the coverage of accounts and campaigns, without those with no due reading."""
    return read_by_ids(cursor, COVERAGE, ViewCoverage, organization_id, ids)


@dataclass(frozen=True, slots=True)
class DailyCoverageQuery:
    """A project, and days of an IANA zone, both inclusive."""

    organization_id: UUID
    project_id: UUID
    from_day: date
    to_day: date
    zone: str


def daily_coverage(
    cursor: DuckDBPyConnection, query: DailyCoverageQuery
) -> dict[date, tuple[int, int]]:
    """Return (readings due, readings that came) by day, without days with none due."""
    bounds = {
        "from_at": start_of(query.from_day, query.zone),
        "until_at": start_of(query.to_day + timedelta(days=1), query.zone),
    }
    rows = cursor.execute(BY_DAY, {**asdict(query), **bounds}).fetchall()
    return {day: (due, came) for day, due, came in rows}
