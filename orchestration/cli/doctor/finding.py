"""What a check finds, and what it looks at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Literal

from warehouse.settings import Settings

Level = Literal["ok", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `way_out` says what to do about it, None where nothing is."""

    subject: str
    level: Level
    message: str
    way_out: str | None = None


@dataclass(frozen=True, slots=True)
class Installation:
    """What is examined: the settings, and where the API is to listen."""

    settings: Settings
    host: str
    port: int


def answered(began: float) -> str:
    """Return how long an answer took that was asked for at `began`, by `time.monotonic`."""
    return f"answers in {1000 * (monotonic() - began):.0f} ms"


Check = Callable[[Installation], Iterator[Finding]]


def ok(subject: str, message: str) -> Finding:
    """Return a finding that asks for nothing."""
    return Finding(subject, "ok", message)


def warn(subject: str, message: str, way_out: str) -> Finding:
    """Return a finding that should be looked at."""
    return Finding(subject, "warn", message, way_out)


def bad(subject: str, message: str, way_out: str) -> Finding:
    """Return a finding that keeps the service from working."""
    return Finding(subject, "bad", message, way_out)
