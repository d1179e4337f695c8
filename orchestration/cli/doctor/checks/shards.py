"""Checks that each shard has a worker."""

from collections.abc import Iterator

from sqlalchemy.exc import ProgrammingError

from orchestration.cli.doctor.checks.warehouse import SLOW_HOURS, STUCK_HOURS
from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is
from warehouse.shards.listing import ShardStatus, shard_statuses


def check_shards(installation: Installation) -> Iterator[Finding]:
    """Report shards that were never published, or whose batches wait too long."""
    try:
        with store_as_it_is(installation.settings) as store:
            if store is None:
                return
            with store.read_session() as session:
                shards = shard_statuses(installation.settings, session)
    except (OperationalStoreError, ProgrammingError):
        return  # check_postgresql and check_schema report it
    yield from map(_finding, shards)


def _finding(shard: ShardStatus) -> Finding:
    message = f"{shard.shard}: {shard.organizations} organizations"
    way_out = f"Start its worker: `TRACKER_SHARD={shard.shard} tracker up`."
    if shard.organizations and shard.as_of is None:
        return warn("shards", f"{message}, no publication yet", way_out)
    hours = shard.behind_hours or 0
    if hours < SLOW_HOURS:
        return ok("shards", f"{message}, {shard.behind} batches behind")
    at_work = f"built by {shard.builder}" if shard.builder else "no worker builds it"
    message = f"{message}, {shard.behind} batches behind for {hours:.1f} h; {at_work}"
    return (bad if hours >= STUCK_HOURS else warn)("shards", message, way_out)
