"""Which instants the warehouse knows: those that its calendar of zones covers."""

from datetime import UTC, datetime

FIRST_INSTANT = datetime(2000, 1, 1, tzinfo=UTC)
LAST_INSTANT = datetime(2100, 1, 1, tzinfo=UTC)
"""From the first to before the last: an instant outside is no observation."""
