"""The transactions that had all ended at an instant, from which incremental copies continue.

A row of a Followed table has the 64-bit id of the transaction that last wrote it. A snapshot knows
the oldest running transaction; all earlier ones are completely visible. Continuing from there
misses nothing, however late a transaction commits, which timestamps cannot ensure. Ids start over
on another server. A restored dump has older rows under their older ids, in tables with other oids.
"""

import hashlib

ORIGIN = """
    select
        concat_ws('/', system_identifier, timeline_id, oid, 'organizations'::regclass::oid)
            as origin,
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint as up_to
    from pg_control_system()
    cross join pg_control_checkpoint()
    cross join pg_database
    where datname = current_database()
"""
"""The source of the ids, and the first transaction that this snapshot may not see completely."""


def digest(definition: str) -> str:
    return hashlib.sha256(definition.encode()).hexdigest()
