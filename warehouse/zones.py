"""Time zones by their IANA names.

Only names of the IANA database count, whatever else a machine's zone folder holds, so that a name
is good or bad on every machine alike.
"""

from functools import cache
from importlib.resources import files


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
