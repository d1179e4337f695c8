"""Time zones by their IANA names, and when their days begin.

Only names of the IANA database count, whatever else a machine's zone folder holds, so that a name
is good or bad on every machine alike.
"""

from datetime import UTC, date, datetime, time
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo


class UnknownZoneError(ValueError):
    """No time zone of the IANA database has this name."""


@cache
def zone_names() -> frozenset[str]:
    """Return every name of the IANA database."""
    return frozenset((files("tzdata") / "zones").read_text(encoding="utf-8").split())


def require_zone(name: str) -> str:
    """Return `name` if it is an IANA zone. Raises UnknownZoneError."""
    if name not in zone_names():
        raise UnknownZoneError(
            f"{name!r} is no IANA time zone: write one such as 'UTC' or 'Europe/Berlin'"
        )
    return name


def start_of(day: date, zone: str) -> datetime:
    """Return the instant, in UTC, at which a day begins in an IANA zone."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)
