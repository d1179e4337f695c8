"""Which posts an amount leaves out for now: those whose true posting time is still awaited.

Until it is known, or the wait is over, nothing that money depends on counts them.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import Published, instant, of_asked, parameters_of
from warehouse.reading.statements import statement

COUNTING_POSTS = ("cpm", "goals")
"""Types of evidence whose amount is of posts over a period."""

HELD: Final = of_asked(statement(__name__, "held_posts.sql"))


def held_posts(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return, of each accrual that posts decide, those left out, and until when at the latest."""
    counting_posts = {
        accrual_id: of
        for accrual_id, of in published.items()
        if of.evidence["type"] in COUNTING_POSTS
    }
    if not counting_posts:
        return {}
    posts_of: dict[UUID, list[dict[str, str]]] = {accrual_id: [] for accrual_id in counting_posts}
    parameters = parameters_of(organization_id, counting_posts)
    for accrual_id, video_id, until in cursor.execute(HELD, parameters).fetchall():
        post = {"video_id": video_id, "posted_at_awaited_until": instant(until)}
        posts_of[accrual_id].append(post)
    return posts_of
