"""The range of instants that the warehouse's calendar of time zones covers."""

from datetime import UTC, datetime

FIRST_INSTANT = datetime(2000, 1, 1, tzinfo=UTC)
LAST_INSTANT = datetime(2100, 1, 1, tzinfo=UTC)
"""The range includes the first and excludes the last. An instant outside is not an observation."""
