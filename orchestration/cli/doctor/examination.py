"""Runs all checks in parallel, each with a time limit and isolated from the others."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Thread
from urllib.parse import quote, unquote

from pydantic import SecretStr
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from orchestration.cli.doctor.finding import Check, Finding, Installation, bad
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
