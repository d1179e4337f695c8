"""All raw tables, and which of them ingestion, scoring and copying fill."""

from warehouse.catalogue.comments import (
    COMMENT_MENTIONS,
    COMMENT_SCORES,
    COMMENT_SCORINGS,
    COMMENT_WALKS,
    COMMENTS,
)
from warehouse.catalogue.readings import (
    ACCOUNT_SNAPSHOTS,
    BATCH_SEQ,
    SCRAPE_OUTCOMES,
    VIDEO_SNAPSHOTS,
)
from warehouse.catalogue.table import Change, Column, Table, never_null

REGISTERED = (VIDEO_SNAPSHOTS, ACCOUNT_SNAPSHOTS, SCRAPE_OUTCOMES, COMMENTS, COMMENT_WALKS)
"""The tables that batches have rows of, once it is known whose they are: files of the same names
hold all columns but BATCH_SEQ."""

NOT_FROM_THE_START = {COMMENTS, COMMENT_WALKS}
"""A warehouse from before comments were collected does not count their rows."""

BATCHES = Table(
    schema="raw",
    name="batches",
    means="One row for each ingested batch: a batch counts exactly once because its rows and this "
    "row commit together.",
    key=("batch_id",),
    change=Change.ADDED,
    columns=(
        never_null("batch_id", "uuid"),
        never_null(BATCH_SEQ.name, BATCH_SEQ.type, "grows with ingestion: the models' watermark"),
        never_null("kind", "varchar", "scrape, import"),
        never_null("ingested_at", "timestamptz", "real clock"),
        *(
            Column(
                table.name,
                "bigint",
                f"its rows of raw.{table.name}",
                nullable=False,
                default="0" if table in NOT_FROM_THE_START else None,
                came_later=table in NOT_FROM_THE_START,
            )
            for table in REGISTERED
        ),
    ),
)
INGESTED = (*REGISTERED, BATCHES)
SCORED = (COMMENT_SCORES, COMMENT_MENTIONS, COMMENT_SCORINGS)

COPIED_TABLES = Table(
    schema="raw",
    name="copied_tables",
    means="How far the copy of each followed table of operational.* reaches, by the numbers of "
    "PostgreSQL's transactions.",
    key=("table_name",),
    change=Change.REPLACED,
    columns=(
        never_null("table_name", "varchar"),
        never_null(
            "origin", "varchar", "the database, and the history of its transactions, copied from"
        ),
        never_null("layout", "varchar", "a digest of the table's DDL: another one is copied anew"),
        never_null("up_to", "bigint", "transactions before this one are in the copy, all of them"),
        never_null("copies", "bigint", "the number of this copy; they count from 1"),
        never_null("left_in", "bigint", "that of the last one that took rows out, or began anew"),
    ),
)

COPIED_SHARD = Table(
    schema="raw",
    name="copied_shard",
    means="The only row, where this warehouse is one of several shards: whose rows the copies of "
    "operational.* are.",
    change=Change.REPLACED,
    columns=(
        never_null("members", "varchar", "a digest: other members are computed anew"),
        never_null(
            "to_batch_seq",
            "bigint",
            "the newest batch that was registered when the copies were made: whose rows later ones "
            "have cannot be told by them",
        ),
    ),
)

COPIED = (COPIED_TABLES, COPIED_SHARD)
RAW = (*INGESTED, *SCORED, *COPIED)

DROPPED = ("raw.incremental_copies",)
"""Tables of earlier versions, whose place others have taken."""
