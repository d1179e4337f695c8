"""The requests that an organization may make on one day of its zone, kept in PostgreSQL.

One statement a request, whatever the number of processes, and a restart changes nothing. It does
not wait for the disk (see `OperationalStore.statements`): after a power cut the last half second's
requests are free.
"""

from datetime import datetime
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow

from serving_api.kit.days import seconds_to_midnight, today_in

TAKE = """
    insert into api_request_days (organization_id, day, requests)
    values (%(organization_id)s, %(day)s, 1)
    on conflict (organization_id, day) do update
    set requests = api_request_days.requests + 1
    where api_request_days.requests < %(maximum)s
    returning requests
"""
"""Returns nothing once the maximum is reached."""


def take_from_day(
    connection: Connection[TupleRow],
    organization_id: UUID,
    *,
    zone: str,
    maximum: int,
    now: datetime,
) -> int:
    """Count a request of today; return 0, or how many seconds are left of a day that is used up.

    `now` is the real clock's.
    """
    day = {"organization_id": organization_id, "day": today_in(zone, now), "maximum": maximum}
    if connection.execute(TAKE, day).fetchone() is not None:
        return 0
    return seconds_to_midnight(zone, now)
