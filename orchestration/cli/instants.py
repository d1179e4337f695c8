"""Times on the command line."""

from datetime import UTC, datetime

from orchestration.cli.output import CommandFailed
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT


def instant_of(option: str, text: str) -> datetime:
    """Return an option's time in UTC. Raises CommandFailed without offset or outside 2000-2100."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise _unusable(f"{option}: {text!r} is not a time with UTC offset.")
    if not FIRST_INSTANT <= instant < LAST_INSTANT:
        raise _unusable(f"{option}: {text!r} is not between 2000 and 2100.")
    return instant.astimezone(UTC)


def _unusable(message: str) -> CommandFailed:
    return CommandFailed(message, "Write e.g. 2026-03-01T06:00:00Z.", exit_code=2)
