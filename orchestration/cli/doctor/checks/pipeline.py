"""Checks that `tracker up` runs and that its daemon works."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.operational.clock import clock_of_database
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.pipeline_signs import SILENT_AFTER, pipeline_signs
from warehouse.operational.store import store_as_it_is


def check_pipeline(installation: Installation) -> Iterator[Finding]:
    """Report a daemon without heartbeats or ticks, by PostgreSQL's clock."""
    try:
        with store_as_it_is(installation.settings) as store:
            if store is None:
                return
            with store.read_session() as session:
                now = clock_of_database(session)
                signs = pipeline_signs(session)
    except OperationalStoreError:
        return  # the check of PostgreSQL reports it
    if signs is None:
        return
    if not signs.is_up:
        yield warn("pipeline", "`tracker up` does not run", "Start it, or use `tracker run`.")
        return
    silent = {
        "heartbeat": signs.heartbeat_at,
        "tick of a sensor or schedule": max(signs.ticks.values(), default=None),
    }
    for name, newest in silent.items():
        if newest is None or now - newest > SILENT_AFTER:
            since = f"since {newest:%Y-%m-%d %H:%M:%S} UTC" if newest else "yet"
            way_out = "`tracker up` replaces the daemon. See logs/daemon.log."
            yield bad("pipeline", f"Dagster's daemon has had no {name} {since}", way_out)
            return
    yield ok("pipeline", "`tracker up` runs, and Dagster's daemon works")
