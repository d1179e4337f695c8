"""Backups: one folder with all data that cannot be computed again, or only slowly.

A backup holds

    manifest.json          sizes and SHA-256 of all other files, written last
    postgres.dump          the operational store, in pg_dump's custom format
    landing/               landed, registered, rejected and archived batches; for batches in a
                           bucket, the manifest names the version of each object instead
    warehouse/             the warehouse file: `tracker rebuild` could recreate it from the
                           archive, but copying is quicker and keeps the record of the last build
    publication/<id>/      the current publication
    files/                 icons and receipts, unless they are in a bucket
    secret.key             the key that seals and encrypts, if the API created it

It leaves out what is recreated automatically (dbt's and Dagster's folders, replaced publications),
logs, and settings with their secrets.

Consistency: the backup holds the warehouse's lock and lease throughout, so nothing is ingested,
computed, archived or published meanwhile. The archive's lock keeps workers of other shards from
moving and compacting batches. Scrapes, registration and API writes continue, which is safe in this
order: copy landed batches, dump one snapshot of PostgreSQL, then copy the registered batches that
the snapshot knows. A batch registered before the snapshot still has its registered folder, because
only ingestion removes it. A batch registered later was still landed when landed batches were
copied, and is registered again after a restore. A batch in both places counts as registered, as
after a kill. A batch that landed after the backup began may be missing; one whose registration is
in the dump may not. Icons and receipts are copied after the snapshot: those that it names existed
before, and a receipt is never deleted.
"""
