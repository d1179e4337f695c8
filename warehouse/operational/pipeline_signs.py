"""Signs that the pipeline works, from PostgreSQL: without Dagster, and by one clock."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.operational.leases import LONGEST_MACHINE_SECONDS
from warehouse.operational.store import OperationalStore

SILENT_AFTER = timedelta(seconds=90)
"""The daemon has a heartbeat each half minute, some sensor a tick every five seconds, and a scrape
worker a sign of life every 15 seconds."""

UP = text("""
    select
        expires_at,
        expires_at > clock_timestamp()
        and expires_at <= clock_timestamp() + make_interval(secs => :longest) as is_up
    from leases where name = :history
""")
HAS_HISTORY = text(f"select to_regclass('{DAGSTER_SCHEMA}.daemon_heartbeats') is not null")
HEARTBEAT = text(f"select max(timestamp) from {DAGSTER_SCHEMA}.daemon_heartbeats")  # noqa: S608  ours
TICKS = text(f"""
    select instigator_body::jsonb #>> '{{origin,job_name}}',
        max(ticks.timestamp) filter (where ticks.status in ('SKIPPED', 'SUCCESS')),
        max(ticks.timestamp) filter (where ticks.status = 'FAILURE')
    from {DAGSTER_SCHEMA}.instigators join {DAGSTER_SCHEMA}.job_ticks as ticks using (selector_id)
    group by 1
""")  # noqa: S608  ours
STARTING = text(f"""
    select run_id, update_timestamp from {DAGSTER_SCHEMA}.runs
    where status = 'STARTING' order by update_timestamp
""")  # noqa: S608  ours
SHOW_SCRAPER = text("""
    insert into leases (name, holder, fence, expires_at)
    values ('scraper ' || :worker, :worker, 1, clock_timestamp())
    on conflict (name) do update set expires_at = excluded.expires_at
""")
FORGET_SCRAPER = text("""
    delete from leases where name = 'scraper ' || :worker
        or starts_with(name, 'scraper ') and expires_at < clock_timestamp() - interval '1 day'
""")
SCRAPERS = text("""
    select holder, expires_at from leases
    where starts_with(name, 'scraper ') and expires_at > clock_timestamp() - interval '1 day'
    order by holder
""")
"""Workers that were killed and have not returned are left out after a day, then deleted."""


class PipelineSigns(NamedTuple):
    is_up: bool
    """Whether a `tracker up` holds the lease of the history."""
    up_until: datetime
    """When the lease ends or ended."""
    heartbeat_at: datetime | None
    ticks: Mapping[str, datetime]
    """The newest tick that did not fail, by sensor or schedule."""
    failed_ticks: Mapping[str, datetime]
    """The newest tick that failed."""


def pipeline_signs(session: Session) -> PipelineSigns | None:
    """Return the signs of the history; None if `tracker up` has never run."""
    up = session.execute(
        UP, {"history": DAGSTER_SCHEMA, "longest": LONGEST_MACHINE_SECONDS}
    ).one_or_none()
    has_history: bool = session.execute(HAS_HISTORY).scalar_one()
    if up is None or not has_history:
        return None
    heartbeat_at: datetime | None = session.execute(HEARTBEAT).scalar_one()
    rows: Sequence[Any] = session.execute(TICKS).all()
    return PipelineSigns(
        up.is_up,
        up.expires_at,
        heartbeat_at and heartbeat_at.replace(tzinfo=UTC),
        {name: at.replace(tzinfo=UTC) for name, at, _ in rows if at},
        {name: at.replace(tzinfo=UTC) for name, _, at in rows if at},
    )


def starting_runs(session: Session) -> Mapping[str, datetime]:
    """Return since when runs of the history start, by id. Their processes may be gone."""
    rows: Sequence[Any] = session.execute(STARTING).all()
    return {run_id: at.replace(tzinfo=UTC) for run_id, at in rows}


def show_scraper(store: OperationalStore, worker: str, *, ends: bool = False) -> None:
    """Note that a staying scrape worker lives, or that it ends, and forget the silent ones."""
    with store.write_session() as session:
        session.execute(FORGET_SCRAPER if ends else SHOW_SCRAPER, {"worker": worker})


def scraper_signs(session: Session) -> Mapping[str, datetime]:
    """Return the last sign of life of each staying scrape worker."""
    rows: Sequence[Any] = session.execute(SCRAPERS).all()
    return dict(rows)
