"""State that processes share about a requested host: a row, changed by one at a time."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select, text, update
from sqlalchemy.dialects.postgresql import insert

from warehouse.operational.models import HostPace

State = dict[str, Any]
_NOW = text("select extract(epoch from clock_timestamp())::float8")
_LEAVE_WRITING_TO_DISK = text("set local synchronous_commit = off")


def change_pace(
    connection: Connection, egress: str, host: str, change: Callable[[State, float], State]
) -> None:
    """Change a host's state, which starts empty, with its row locked.

    `change` gets the database's time, read after locking. A power failure may lose the last half
    second.
    """
    connection.execute(_LEAVE_WRITING_TO_DISK)
    key = {"egress": egress, "host": host}
    connection.execute(insert(HostPace).values(**key, state={}).on_conflict_do_nothing())
    row = (HostPace.egress == egress) & (HostPace.host == host)
    state: State = connection.execute(
        select(HostPace.state).where(row).with_for_update()
    ).scalar_one()
    changed = change(state, connection.execute(_NOW).scalar_one())
    if changed != state:
        connection.execute(update(HostPace).where(row).values(state=changed))
