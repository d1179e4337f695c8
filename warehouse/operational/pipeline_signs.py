"""Signs that the pipeline works, from Dagster's history: without Dagster, and by one clock."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

SILENT_AFTER = timedelta(minutes=5)
"""The daemon has a heartbeat each half minute, and some sensor a tick every five seconds."""

IS_UP = text("select expires_at > clock_timestamp() from leases where name = :schema")
HAS_HISTORY = text("select to_regclass(:heartbeats) is not null")
HEARTBEAT = "select max(timestamp) from {schema}.daemon_heartbeats"
TICKS = """
    select instigator_body::jsonb #>> '{{origin,job_name}}', max(ticks.timestamp)
    from {schema}.instigators join {schema}.job_ticks as ticks using (selector_id)
    group by 1
"""


class PipelineSigns(NamedTuple):
    is_up: bool
    """Whether a `tracker up` holds the lease of the history."""
    heartbeat_at: datetime | None
    ticks: Mapping[str, datetime]
    """The newest tick by sensor or schedule."""


def pipeline_signs(session: Session, schema: str) -> PipelineSigns | None:
    """Return the signs of the history in `schema`; None if `tracker up` has never run."""
    is_up: bool | None = session.execute(IS_UP, {"schema": schema}).scalar_one_or_none()
    heartbeats = {"heartbeats": f"{schema}.daemon_heartbeats"}
    has_history: bool = session.execute(HAS_HISTORY, heartbeats).scalar_one()
    if is_up is None or not has_history:
        return None
    heartbeat_at: datetime | None = session.execute(
        text(HEARTBEAT.format(schema=schema))
    ).scalar_one()
    ticks: Sequence[Any] = session.execute(text(TICKS.format(schema=schema))).all()
    return PipelineSigns(
        is_up,
        heartbeat_at and heartbeat_at.replace(tzinfo=UTC),
        {name: at.replace(tzinfo=UTC) for name, at in ticks},
    )
