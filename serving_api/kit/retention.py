"""How far back a plan keeps history (contract, Limits: tier retention)."""

from datetime import date, timedelta

from serving_api.errors import RetentionExceeded


def retained_from(retention: int | None, today: date) -> date | None:
    """Return the first day of the history that a plan keeps; None where it keeps all.

    `retention` is the plan's tier_retention_days.
    """
    return None if retention is None else today - timedelta(days=retention)


def require_retained(from_day: date, *, retention: int | None, today: date) -> None:
    """Raise RetentionExceeded for a first day before the history that a plan keeps."""
    earliest = retained_from(retention, today)
    if earliest is not None and from_day < earliest:
        raise RetentionExceeded(
            f"The plan keeps {retention} days of history: `from` can be {earliest} or later",
            tier_retention_days=retention,
            earliest=earliest.isoformat(),
        )
