"""The command: examines, prints, and exits with 1 if something is bad."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from orchestration.cli.doctor.checks import CHECKS
from orchestration.cli.doctor.checks.postgresql import embedded_data
from orchestration.cli.doctor.examination import examine
from orchestration.cli.doctor.finding import Finding, Installation, bad, ok
from orchestration.cli.opening import UnusableSettings, opened_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson
from orchestration.cli.serve import Host, Port
from warehouse.operational.migrations import applied_revisions, known_revisions, migrate
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def mend(settings: Settings) -> list[Finding]:
    """Update an older schema, and close runs whose processes are gone; return findings on both.

    A missing database is not created, and a newer schema is not changed: the examination reports
    both.
    """
    if not settings.database_url and not embedded_data(settings).exists():
        return []
    with opened_store(settings) as store:
        applied = applied_revisions(store)
        if applied and applied <= known_revisions():
            migrate(store)
            return list(_closed_runs(settings, store))
    return []


def _closed_runs(settings: Settings, store: OperationalStore) -> Iterator[Finding]:
    # Dagster takes seconds to load, so an examination does without it.
    from orchestration.running.runs import InstanceUnusableError, close_dead_runs, open_instance  # noqa: PLC0415

    try:
        with open_instance(settings) as instance:
            closed = close_dead_runs(instance, store)
    except InstanceUnusableError as unusable:
        yield bad("runs", str(unusable), "See TRACKER_DAGSTER_SETTINGS.")
    else:
        if closed:
            yield ok("runs", f"closed because their processes are gone: {', '.join(closed)}")


COLORS = {"ok": "green", "warn": "yellow", "bad": "bold red"}


Mend = Annotated[
    bool,
    typer.Option(
        "--mend", help="First update the database schema, and close runs whose processes are gone."
    ),
]


def doctor(
    host: Host = "127.0.0.1", port: Port = 8000, as_json: AsJson = False, mended: Mend = False
) -> None:
    """Report what is wrong with this installation and how to fix it.

    One line each: ok, warn or bad. The exit code is 1 if something is bad. Without --mend it
    starts and changes nothing, and ends within half a minute. --host and --port are where the API
    listens.

    Examples: `tracker doctor`, `tracker doctor --port 8080 --json`, `tracker doctor --mend`
    """
    try:
        settings = settings_of_environment()
    except UnusableSettings as unusable:
        findings = [
            bad("settings", f"{name}: {message}", unusable.WAY_OUT)
            for name, message in unusable.problems
        ]
    else:
        mendings = mend(settings) if mended else []
        findings = mendings + examine(Installation(settings, host, port), CHECKS)
    counts = Counter(finding.level for finding in findings)
    if as_json:
        print_json({"is_well": not counts["bad"], "findings": [asdict(f) for f in findings]})
    else:
        for finding in findings:
            _show(finding)
    if counts["bad"]:
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    level = f"[{COLORS[finding.level]}]{finding.level:<5}[/]"
    way_out = f" [dim]{escape(finding.way_out)}[/dim]" if finding.way_out else ""
    line = f"{level}{finding.subject:<14} {escape(finding.message)}.{way_out}"
    OUT.print(line, soft_wrap=True, highlight=False)
