"""Of which posts views stand still while their other counters move on: cpm pays them too little.

What evidence of cpm says of it is as of the period's end: what was read later is the next period's.
Looked up where evidence is read, as `readings_behind`.
"""

from collections.abc import Mapping
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import POSTS, Published, instant, parameters_of

STANDING = f"""
    with

    {POSTS},

    readings as materialized (
        select
            deltas.video_id,
            deltas.captured_at,
            deltas.view_count
        from marts.video_deltas as deltas
        semi join posts using (video_id)
    ),

    last_shown as (
        select
            posts.*,
            readings.captured_at as views_as_of
        from posts
        asof join (from readings where view_count is not null) as readings
            on posts.video_id = readings.video_id and posts.ends_at > readings.captured_at
    ),

    last_read as (
        select
            last_shown.*,
            readings.captured_at as read_at
        from last_shown
        asof join readings
            on last_shown.video_id = readings.video_id and last_shown.ends_at > readings.captured_at
    )

    select
        accrual_id,
        cast(video_id as varchar) as video_id,
        views_as_of
    from last_read
    where
        views_as_of < read_at
        and (lifetime_ends_at is null or lifetime_ends_at > greatest(views_as_of, begins_at))
    order by views_as_of, video_id
"""  # noqa: S608  SQL of ours


def standing_views(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return, of each cpm accrual, the posts whose last readings did not show views.

    The longest standing first. Counted are those that are the creator's now, in the version's
    scope, unless their lifetime ended before.
    """
    asked = {one: of for one, of in published.items() if "platform_scope" in of.evidence}
    if not asked:
        return {}
    found: dict[UUID, list[dict[str, str]]] = {one: [] for one in asked}
    parameters = parameters_of(organization_id, asked)
    for accrual_id, video_id, at in cursor.execute(STANDING, parameters).fetchall():
        found[accrual_id].append({"video_id": video_id, "views_as_of": instant(at)})
    return found
