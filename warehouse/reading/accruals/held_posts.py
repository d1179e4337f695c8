"""Which posts an amount leaves out for now: those whose true posting time is still awaited.

Until it is known, or the wait is over, nothing that money depends on counts them.
"""

from collections.abc import Mapping
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import POSTS, Published, instant, parameters_of

COUNTING_POSTS = ("cpm", "goals")
"""Types of evidence whose amount is of posts over a period."""

HELD = f"""
    with

    {POSTS}

    select
        accrual_id,
        cast(video_id as varchar) as video_id,
        posted_at_awaited_until
    from posts
    where
        first_captured_at < ends_at
        and posted_at_awaited_until > (select as_of from marts.publication)
    order by posted_at_awaited_until, video_id
"""  # noqa: S608  SQL of ours


def held_posts(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return, of each accrual that posts decide, those left out, and until when at the latest."""
    asked = {one: of for one, of in published.items() if of.evidence["type"] in COUNTING_POSTS}
    if not asked:
        return {}
    found: dict[UUID, list[dict[str, str]]] = {one: [] for one in asked}
    parameters = parameters_of(organization_id, asked)
    for accrual_id, video_id, until in cursor.execute(HELD, parameters).fetchall():
        post = {"video_id": video_id, "posted_at_awaited_until": instant(until)}
        found[accrual_id].append(post)
    return found
