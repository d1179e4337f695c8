"""PostgreSQL's statistics of the tables that registration joins with batches."""

from sqlalchemy import text
from sqlalchemy.orm import Session

_JOINED = ["organizations", "projects", "creators", "accounts", "videos", "post_looks", "visits"]
_IS_OUTDATED = text(
    """
    select bool_or(
        pg_stat_get_mod_since_analyze(oid) + 10 * pg_stat_get_xact_tuples_inserted(oid)
        > greatest(reltuples, 100)
    )
    from pg_class
    where oid = any(cast(:joined as regclass[]))
    """
)


def refresh_statistics(session: Session) -> None:
    """Analyze the tables if one changed entirely since the last time, or grew by a tenth just now.

    Until autovacuum does so, PostgreSQL may expect a single row, and compares all rows with all
    rows of a batch (80 seconds instead of one for 10,000 posts). So it does beside older ones.
    """
    if session.scalar(_IS_OUTDATED, {"joined": _JOINED}):
        session.execute(text(f"analyze (skip_locked) {', '.join(_JOINED)}"))
