"""Backups: everything that cannot be computed again, and what would take long to, as one folder.

A backup holds

    manifest.json          sizes and SHA-256 of all the rest, written last
    postgres.dump          the operational store, in pg_dump's custom format
    landing/               landed, registered, rejected and archived batches; where they lie in a
                           bucket, the manifest names the version of each object instead
    warehouse/             the warehouse's file: `tracker rebuild` could make it anew from the
                           archive, but copying is quicker and keeps the record of the last run
    publication/<id>/      the current publication
    files/                 icons and receipts, where they lie in no bucket
    secret.key             what seals and encrypts, where the API made it

and not what is made anew by itself (dbt's and Dagster's folders, replaced publications), logs, or
settings with their secrets.

How the parts fit each other: the warehouse's lock and lease are held throughout, so nothing is
ingested, computed, archived or published meanwhile. The archive's lock keeps workers of other
shards from moving and compacting batches. Scrapes land, registration registers and the API writes
as ever, which is safe in this order: landed batches are copied first, then one snapshot of
PostgreSQL is dumped, then registered batches, those that the snapshot knows. A batch registered
before the snapshot has its registered folder, for only ingestion takes that away; one registered
after it was still landed when landed batches were copied, and is registered anew after a restore.
One that is in both places is dropped as registered, as after a kill. A batch that landed later than
the backup began may be missing, as anything later is; one whose registration is in the dump may
not. Icons and receipts are copied after the snapshot: those that it names were there before it, and
a receipt is never deleted.
"""
