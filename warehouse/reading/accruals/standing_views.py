"""Of which posts views stand still while their other counters move on: cpm pays them too little.

What evidence of cpm says of it is as of the period's end: what was read later is the next period's.
Looked up where evidence is read, as `readings_behind`.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import Published, instant, of_asked, parameters_of
from warehouse.reading.statements import statement

STANDING: Final = of_asked(statement(__name__, "standing_views.sql"))


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
