"""The command: runs all checks, prints findings, and exits with 1 if something is bad.

Checks run in parallel, each with a time limit and isolated from the others.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from threading import Thread
from typing import Annotated
from urllib.parse import quote, unquote

import typer
from pydantic import SecretStr
from rich.markup import escape
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from orchestration.cli.doctor.checks import CHECKS
from orchestration.cli.doctor.checks.postgresql import embedded_data
from orchestration.cli.doctor.finding import (
    Check,
    Finding,
    Installation,
    StoreUnusableError,
    bad,
    ok,
)
from orchestration.cli.opening import UnusableSettings, opened_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson
from orchestration.cli.serve import Host, Port
from warehouse.operational.migrations import applied_revisions, known_revisions, migrate
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

PATIENCE_SECONDS = 20.0
"""Longer than a PostgreSQL connection may take."""


@dataclass
class _Examination:
    """One check in its own thread, which is abandoned at the deadline."""

    check: Check
    installation: Installation
    findings: list[Finding] = field(default_factory=list)
    ended: bool = False

    def run(self) -> None:
        try:
            with suppress(StoreUnusableError):
                self.findings.extend(self.check(self.installation))
        except Exception as error:  # the other checks continue
            reason = f"could not be checked: {type(error).__name__}: {error}"
            self.findings.append(
                bad(self.subject, reason, "Fix it and run `tracker doctor` again.")
            )
        self.ended = True

    @property
    def subject(self) -> str:
        return self.check.__name__.removeprefix("check_").replace("_", " ")


def examine(
    installation: Installation,
    checks: Sequence[Check],
    *,
    patience_seconds: float = PATIENCE_SECONDS,
) -> list[Finding]:
    """Run the checks and return their findings, in order, after at most `patience_seconds`.

    Findings never contain a secret of the settings.
    """
    examinations = [_Examination(check, installation) for check in checks]
    threads = [Thread(target=examination.run, daemon=True) for examination in examinations]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + patience_seconds
    for thread in threads:
        thread.join(timeout=max(0.0, deadline - time.monotonic()))
    findings = [
        finding
        for examination in examinations
        for finding in _findings_of(examination, patience_seconds)
    ]
    return [_redacted(finding, installation.settings) for finding in findings]


def _findings_of(examination: _Examination, patience_seconds: float) -> list[Finding]:
    if examination.ended:
        return examination.findings
    hangs = bad(
        examination.subject,
        f"no answer within {patience_seconds:g} s",
        "A disk, the network or a server may hang.",
    )
    return [*examination.findings, hangs]


def _redacted(finding: Finding, settings: Settings) -> Finding:
    """Return the finding on one line and without secrets."""
    message = " ".join(finding.message.split())
    for secret in _secrets(settings):
        message = message.replace(secret, "***")
    return replace(finding, message=message)


def _secrets(settings: Settings) -> list[str]:
    """Return the secrets in every form that a message could contain, longest first."""
    secrets = [value.get_secret_value() for _, value in settings if isinstance(value, SecretStr)]
    texts = [text for secret in secrets for text in (secret, *_passwords(secret))]
    forms = {form for text in texts for form in (text, quote(text, safe=""), unquote(text))}
    return sorted(forms - {""}, key=len, reverse=True)


def _passwords(secret: str) -> list[str]:
    try:
        url = make_url(secret)
    except (ArgumentError, ValueError):
        return []
    in_query = [url.query.get(name) for name in ("password", "sslpassword")]
    return [text for text in (url.password, *in_query) if isinstance(text, str)]


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
    from orchestration.running.postgresql import (  # noqa: PLC0415
        HistoryUnusableError,
        history_errors,
        open_instance,
    )
    from orchestration.running.runs import close_dead_runs  # noqa: PLC0415

    try:
        with open_instance(settings) as instance, history_errors():
            closed = close_dead_runs(instance, store)
    except HistoryUnusableError as unusable:
        yield bad("runs", str(unusable), unusable.way_out)
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
