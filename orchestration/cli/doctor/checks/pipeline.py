"""Checks that `tracker up` runs, that its daemon works, and that no step of runs keeps failing."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.operational.clock import clock_of_database
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.pipeline_signs import SILENT_AFTER, pipeline_signs
from warehouse.operational.store import store_as_it_is
from warehouse.step_metrics import BACKUP, last_ended


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


def check_steps(installation: Installation) -> Iterator[Finding]:
    """Report steps that have not succeeded since they failed, as the alert does."""
    folder = installation.settings.metrics_path
    succeeded = last_ended(folder, "succeeded")
    for step, at in last_ended(folder, "failed").items():
        if step != BACKUP and at >= succeeded.get(step, at):
            message = f"'{step}' has not succeeded since it failed at {at:%Y-%m-%d %H:%M:%S} UTC"
            yield warn(
                "pipeline", message, "`tracker run` prints the reason, as Dagster's UI does."
            )
