"""Times on the command line."""

from datetime import datetime

from orchestration.cli.output import CommandFailed


def instant_of(option: str, text: str) -> datetime:
    """Return an option's time. Raises CommandFailed if it has no UTC offset."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise CommandFailed(
            f"{option}: {text!r} is not a time with UTC offset.",
            "Write e.g. 2026-03-01T06:00:00Z.",
            exit_code=2,
        )
    return instant
