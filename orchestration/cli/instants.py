"""Times on the command line."""

from datetime import UTC, datetime

from orchestration.cli.output import CommandFailed


def instant_of(option: str, text: str) -> datetime:
    """Return an option's time in UTC. Raises CommandFailed if it has no UTC offset."""
    try:
        instant = datetime.fromisoformat(text)
        in_utc = None if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):  # overflow: beyond the year 9999 in UTC
        in_utc = None
    if in_utc is None:
        raise CommandFailed(
            f"{option}: {text!r} is not a time with UTC offset.",
            "Write e.g. 2026-03-01T06:00:00Z.",
            exit_code=2,
        )
    return in_utc
