"""The requests that an organization may make on one day of its zone, kept in PostgreSQL.

One statement a request, whatever the number of processes, and a restart changes nothing. Its
commit does not wait for the disk: after a power cut the last half second's requests are free.
"""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Connection, bindparam, func
from sqlalchemy.dialects.postgresql import insert

from serving_api.kit.days import seconds_to_midnight, today_in
from warehouse.operational.models import ApiRequestDay

_FIRST = insert(ApiRequestDay).values(
    organization_id=bindparam("organization_id"), day=bindparam("day"), requests=1
)
_TAKE = _FIRST.on_conflict_do_update(
    index_elements=[ApiRequestDay.organization_id, ApiRequestDay.day],
    set_={"requests": ApiRequestDay.requests + 1},
    where=ApiRequestDay.requests < bindparam("maximum"),
).returning(ApiRequestDay.requests, func.set_config("synchronous_commit", "off", True))
"""Returns nothing once the maximum is reached. Made once, because every request runs it."""


def take_from_day(
    connection: Connection, organization_id: UUID, *, zone: str, maximum: int, now: datetime
) -> int:
    """Count a request of today; return 0, or how many seconds are left of a day that is used up.

    `connection` commits each statement; `now` is the real clock's.
    """
    day = {"organization_id": organization_id, "day": today_in(zone, now), "maximum": maximum}
    if connection.execute(_TAKE, day).first() is not None:
        return 0
    return seconds_to_midnight(zone, now)
