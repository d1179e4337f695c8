"""Checks that `tracker up` runs, that its daemon works, and that no step of runs keeps failing."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.clock import system_clock
from warehouse.operational.clock import clock_of_database
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.pipeline_signs import (
    SILENT_AFTER,
    PipelineSigns,
    pipeline_signs,
    scraper_signs,
    starting_runs,
)
from warehouse.operational.store import store_as_it_is
from warehouse.step_metrics import BACKUP, Ending, last_ended
from warehouse.warehouse_lock import up_lock_path

SECONDS = "%Y-%m-%d %H:%M:%S"
NEVER = datetime.min.replace(tzinfo=UTC)
NOT_STARTED = (
    "If its process is gone, `tracker up` closes it within three minutes, and the next run starts."
)
DOWN = "pipeline", "`tracker up` does not run", "Start it, or use `tracker run`."
PUBLISH = "publish"
STARTS_WITHIN = timedelta(seconds=30)


def check_pipeline(installation: Installation) -> Iterator[Finding]:
    """Report a daemon or scrape worker without signs of life, by PostgreSQL's clock."""
    try:
        with store_as_it_is(installation.settings) as store:
            if store is None:
                if up_lock_path(installation.settings).exists():  # it has run
                    yield warn(*DOWN)
                return
            with store.read_session() as session:
                now = clock_of_database(session)
                signs, scrapers = pipeline_signs(session), scraper_signs(session)
    except OperationalStoreError:
        return  # the check of PostgreSQL reports it
    if signs is not None:
        published_at = last_ended(installation.settings.metrics_path, "succeeded").get(PUBLISH)
        yield _pipeline(signs, now, published_at or NEVER)
    for worker, seen_at in scrapers.items():
        if now - seen_at > SILENT_AFTER:
            message = f"worker '{worker}' has shown no sign of life since {seen_at:{SECONDS}} UTC"
            way_out = (
                "See its log, and restart it. Others fetch what it has claimed within 15 minutes."
            )
            yield bad("scraper", message, way_out)


def check_starting_runs(installation: Installation) -> Iterator[Finding]:
    """Report runs that do not start: their processes may have been killed."""
    with installation.session() as session:
        now, starting = clock_of_database(session), starting_runs(session)
    for run_id, since in starting.items():
        if now - since > STARTS_WITHIN:
            message = f"run {run_id} has not started since {since:{SECONDS}} UTC"
            yield warn("pipeline", message, NOT_STARTED)


def _pipeline(signs: PipelineSigns, now: datetime, published_at: datetime) -> Finding:
    if not signs.is_up:  # unless `tracker run` does its work
        return warn(*DOWN) if published_at > signs.up_until else bad(*DOWN)
    silent = {
        "heartbeat": signs.heartbeat_at,
        "successful tick of a sensor or schedule": max(signs.ticks.values(), default=None),
    }
    for name, newest in silent.items():
        if newest is None or now - newest > SILENT_AFTER:
            since = f"since {newest:{SECONDS}} UTC" if newest else "yet"
            way_out = (
                "If `tracker up` has just started, run `tracker doctor` again in two minutes. Else"
                " it replaces the daemon after five minutes: see logs/code.log and daemon.log."
            )
            return bad("pipeline", f"Dagster's daemon has had no {name} {since}", way_out)
    failing = [name for name, at in signs.failed_ticks.items() if at > signs.ticks.get(name, NEVER)]
    if failing:
        message = f"the last tick failed of: {', '.join(sorted(failing))}"
        return warn("pipeline", message, "Dagster's UI shows the error of each.")
    return ok("pipeline", "`tracker up` runs, and Dagster's daemon works")


ENDINGS: Mapping[Ending, tuple[str, str]] = {
    "failed": (
        "has not succeeded since it failed",
        "`tracker run` prints the reason, as Dagster's UI does.",
    ),
    "interrupted": ("was interrupted", "The next run continues it."),
}


def check_steps(installation: Installation) -> Iterator[Finding]:
    """Report steps that have not succeeded since they failed, as the alert does, or stopped.

    A time in the future was noted by a clock that was ahead: it is later than no success.
    """
    now, folder = system_clock(), installation.settings.metrics_path
    succeeded = last_ended(folder, "succeeded")
    for ending, (message, way_out) in ENDINGS.items():
        for step, at in last_ended(folder, ending).items():
            if step != BACKUP and now >= at >= succeeded.get(step, at):
                since = f"'{step}' {message} at {at:{SECONDS}} UTC"
                yield warn("pipeline", since, way_out)
