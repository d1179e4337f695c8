"""Which transactions were all over at an instant: what follows changes goes on from there.

A row of a Followed table says which transaction wrote it last, by PostgreSQL's own 64-bit number.
A snapshot knows the oldest transaction that was still under way: all before it are seen whole, so
that whoever goes on from it misses nothing, however late a transaction commits. Times cannot do
that. The numbers begin anew on another server, and where one was restored from a backup.
"""

import hashlib

ORIGIN = """
    select
        concat_ws('/', system_identifier, timeline_id, oid) as origin,
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint as up_to
    from pg_control_system()
    cross join pg_control_checkpoint()
    cross join pg_database
    where datname = current_database()
"""
"""Whose numbers they are, and the first transaction that this snapshot may not see whole."""


def digest(definition: str) -> str:
    """Return what tells one definition, of what follows, from another."""
    return hashlib.sha256(definition.encode()).hexdigest()
