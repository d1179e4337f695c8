"""The history that a plan includes (contract, Limits: tier retention)."""

from datetime import date, timedelta

from serving_api.errors import RetentionExceeded


def retained_from(retention: int | None, today: date) -> date | None:
    """Return the first day that a plan includes, or None for all.

    `retention` is the plan's tier_retention_days.
    """
    return None if retention is None else today - timedelta(days=retention)


def require_retained(from_day: date, *, retention: int | None, today: date) -> None:
    """Raise RetentionExceeded for a day before the plan's history."""
    earliest = retained_from(retention, today)
    if earliest is not None and from_day < earliest:
        raise RetentionExceeded(
            f"The plan includes {retention} days of history. `from` must be {earliest} or later",
            tier_retention_days=retention,
            earliest=earliest.isoformat(),
        )
