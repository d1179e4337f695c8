"""PostgreSQL's statistics of the tables that registration joins with batches."""

from sqlalchemy import text
from sqlalchemy.orm import Session

_JOINED = ["organizations", "projects", "creators", "accounts", "videos", "post_looks", "visits"]
_OUTDATED = text(
    """
    select relname from pg_class
    where
        oid = any(cast(:joined as regclass[]))
        and pg_stat_get_mod_since_analyze(oid) + 10 * pg_stat_get_xact_tuples_inserted(oid)
        > greatest(reltuples, 100)
    """
)


def refresh_statistics(session: Session) -> None:
    """Analyze tables that changed entirely since the last time, or grew by a tenth just now.

    Until autovacuum does so, PostgreSQL may expect a single row, and compares all rows with all
    rows of a batch (80 seconds instead of one for 10,000 posts).
    """
    if outdated := session.scalars(_OUTDATED, {"joined": _JOINED}).all():
        session.execute(text(f"analyze (skip_locked) {', '.join(outdated)}"))
