"""Of which posts views stand still while their other counters move on: cpm pays them too little.

What evidence of cpm says of it is as of the period's end: what was read later is the next period's.
Looked up where evidence is read, as `readings_behind`.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.asked import Published, instant, of_asked, parameters_of
from warehouse.reading.statements import over, statement

_READ_ON: Final = statement(__name__, "read_on.sql")
BETWEEN, STALE_VIEWS = (
    of_asked(over(statement(__name__, name), read_on=_READ_ON))
    for name in ("read_between.sql", "stale_views.sql")
)
"""The instants are told to the second query: what it worked out itself would leave out no month."""


def stale_views(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return, of each cpm accrual, the posts whose last readings did not show views.

    The longest unchanged first. Counted are those that are the creator's now, in the version's
    scope, unless their lifetime ended before.
    """
    cpm_accruals = {
        accrual_id: of for accrual_id, of in published.items() if "platform_scope" in of.evidence
    }
    if not cpm_accruals:
        return {}
    posts_of: dict[UUID, list[dict[str, str]]] = {accrual_id: [] for accrual_id in cpm_accruals}
    parameters = parameters_of(organization_id, cpm_accruals)
    [(from_at, until_at)] = cursor.execute(BETWEEN, parameters).fetchall()
    if from_at is None:
        return posts_of
    parameters |= {"from_at": from_at, "until_at": until_at}
    for accrual_id, video_id, at in cursor.execute(STALE_VIEWS, parameters).fetchall():
        posts_of[accrual_id].append({"video_id": video_id, "views_as_of": instant(at)})
    return posts_of
