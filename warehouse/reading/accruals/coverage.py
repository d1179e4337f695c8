"""How many of the readings of views that were due came over the days that an accrual of cpm pays.

By the definition of marts.view_coverage (macros/counts/view_readings_due.sql), of other days: those
of its period that are covered and over, and of each post those within its lifetime. Looked up where
evidence is read, as `readings_behind`.
"""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import POSTS, Published, parameters_of

COVERAGE = f"""
    with

    {POSTS},

    tracked as (
        select posts.*
        from posts
        left join marts.accounts as accounts using (account_id)
        where coalesce(accounts.is_active, true)
    ),

    spans as (
        select unnest(
            from_json($spans, '[{{"accrual_id": "UUID", "first": "DATE", "last": "DATE"}}]'),
            max_depth := 2
        )
    ),

    dates as (
        select
            accrual_id,
            unnest(generate_series(first, last, interval 1 day)) as day
        from spans
    ),

    days as (
        select
            dates.accrual_id,
            cast(dates.day as date) as day,
            timezone(asked.timezone, dates.day) as starts_at,
            timezone(asked.timezone, dates.day + interval 1 day) as over_at
        from dates
        inner join asked using (accrual_id)
        where over_at <= (select as_of from marts.publication)
    ),

    bounds as (
        select
            accrual_id,
            min(day) as from_day,
            max(day) as to_day
        from days
        group by accrual_id
    ),

    due as (
        select
            days.*,
            tracked.video_id
        from tracked
        inner join days
            on
                tracked.accrual_id = days.accrual_id
                and tracked.views_due_from < days.starts_at
        where
            (tracked.views_due_until is null or tracked.views_due_until >= days.over_at)
            and (tracked.lifetime_ends_at is null or tracked.lifetime_ends_at >= days.over_at)
    ),

    readings as (
        select
            deltas.video_id,
            deltas.captured_at
        from marts.video_deltas as deltas
        semi join due using (video_id)
        where
            deltas.view_count is not null
            and deltas.captured_at >= (select min(starts_at) from due)
    )

    select
        due.accrual_id,
        cast(bounds.from_day as varchar) as from_day,
        cast(bounds.to_day as varchar) as to_day,
        count(*) as readings_due,
        count(*) filter (where readings.captured_at >= due.starts_at) as readings_came
    from due
    inner join bounds using (accrual_id)
    asof left join readings
        on due.video_id = readings.video_id and due.over_at > readings.captured_at
    group by all
"""  # noqa: S608  SQL of ours


def view_coverage(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, dict[str, Any] | None]:
    """Return the coverage of each cpm accrual, None where nothing was due.

    Of the posts that the creator has now, in the version's scope, as the registry has them now: of
    one that is disabled, or whose account was removed, nothing was due.
    """
    asked = {one: of for one, of in published.items() if "platform_scope" in of.evidence}
    if not asked:
        return {}
    parameters = {**parameters_of(organization_id, asked), "spans": json.dumps(_spans(asked))}
    rows = cursor.execute(COVERAGE, parameters).fetchall()
    found = {accrual_id: dict(zip(_NAMES, told, strict=True)) for accrual_id, *told in rows}
    return {one: found.get(one) for one in asked}


_NAMES = ("from_day", "to_day", "readings_due", "readings_came")


def _spans(asked: Mapping[UUID, Published]) -> list[dict[str, str]]:
    return [
        {"accrual_id": str(one), "first": span["from"], "last": span["to"]}
        for one, of in asked.items()
        for span in of.evidence.get("covered", [])
    ]
