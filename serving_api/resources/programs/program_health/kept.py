"""What a publication tells of projects' health, worked out once: a publication never changes.

What people decided since is no part of it, and is looked up for each request.
"""

from datetime import datetime

from serving_api.kit.kept import Kept
from serving_api.kit.published import Published
from warehouse.reading.program_health.read import PublishedHealth, published_health
from warehouse.reading.program_health.scope import HealthScope

MOST_ROWS = 500_000
"""Accounts and campaigns that a process keeps something of, over all scopes: some 100 MB."""
WEIGHT_OF_ONE = 100
"""What a scope weighs, in rows, beside those."""
SECONDS = 3600.0
"""Long enough: the next publication, and the next day, ask anew."""


class KeptHealth:
    """What a process has worked out, by publication and scope, days included."""

    def __init__(self) -> None:
        self._found: Kept[PublishedHealth] = Kept(MOST_ROWS)

    def read(
        self, numbers: Published, scope: HealthScope
    ) -> tuple[PublishedHealth, datetime | None]:
        """Return what the current publication tells, and as of when; before the first nothing."""
        with numbers.reading() as reading:
            if reading is None:
                return PublishedHealth(), None
            cursor, publication = reading
            key = (publication.publication_id, scope)
            found = self._found.get(key)
            if found is None:
                found = published_health(cursor, scope)
                self._found.put(key, found, weight=_weight(found), seconds=SECONDS)
        return found, publication.as_of


def _weight(found: PublishedHealth) -> int:
    each = (found.missing_posts, found.looks_at_accounts, found.campaigns)
    return WEIGHT_OF_ONE + sum(map(len, each))
