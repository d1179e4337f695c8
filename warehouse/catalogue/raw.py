"""All raw tables, by what fills them: ingestion, scoring or copying."""

from warehouse.catalogue.readings import (
    ACCOUNT_SNAPSHOTS,
    BATCH_SEQ,
    COMMENT_MENTIONS,
    COMMENT_SCORES,
    COMMENT_SCORINGS,
    COMMENT_WALKS,
    COMMENTS,
    SCRAPE_OUTCOMES,
    VIDEO_SNAPSHOTS,
)
from warehouse.catalogue.table import Change, Column, Table, never_null

REGISTERED = (VIDEO_SNAPSHOTS, ACCOUNT_SNAPSHOTS, SCRAPE_OUTCOMES, COMMENTS, COMMENT_WALKS)
"""Tables filled from registered batches. Files of the same names have all columns except BATCH_SEQ.
"""

NOT_FROM_THE_START = {COMMENTS, COMMENT_WALKS}
"""Tables that older warehouses do not count in raw.batches."""

BATCHES = Table(
    schema="raw",
    name="batches",
    means="One row for each ingested batch. It commits together with the batch's rows, so each "
    "batch counts exactly once.",
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
HISTORY_FILES = Table(
    schema="raw",
    name="history_files",
    means="Parquet files with older rows of a raw table, in the folder warehouse.duckdb.history "
    "beside the warehouse's file. raw.all_<table> has the rows of both.",
    key=("file",),
    change=Change.ADDED,
    columns=(
        never_null("table_name", "varchar"),
        never_null("file", "varchar", "its name, in the folder"),
        never_null("columns", "varchar", "the columns that the table had"),
        never_null("rows", "bigint"),
        never_null("last_at", "timestamptz", "of its newest row"),
        never_null("last_batch_seq", "bigint", "the greatest batch_seq of its rows"),
    ),
)
WITH_HISTORY = tuple(table for table in REGISTERED if table.has_history)
INGESTED = (*REGISTERED, BATCHES, HISTORY_FILES)
SCORED = (COMMENT_SCORES, COMMENT_MENTIONS, COMMENT_SCORINGS)

COPIED_TABLES = Table(
    schema="raw",
    name="copied_tables",
    means="How far the copy of each followed table of operational.* reaches, by PostgreSQL's "
    "transaction ids.",
    key=("table_name",),
    change=Change.REPLACED,
    columns=(
        never_null("table_name", "varchar"),
        never_null(
            "origin", "varchar", "the source database and the history of its transaction ids"
        ),
        never_null(
            "layout",
            "varchar",
            "digest of the table's DDL; if it changes, the table is copied again",
        ),
        never_null("up_to", "bigint", "the copy has all transactions before this id"),
        never_null("copies", "bigint", "number of this copy, from 1"),
        never_null(
            "left_in", "bigint", "number of the last copy that removed rows or started over"
        ),
    ),
)

COPIED_SHARD = Table(
    schema="raw",
    name="copied_shard",
    means="The members whose rows the copies of operational.* have: one row, if this warehouse is "
    "one of several shards.",
    change=Change.REPLACED,
    columns=(
        never_null("members", "varchar", "digest; if it changes, everything is computed again"),
        never_null(
            "to_batch_seq",
            "bigint",
            "the newest batch registered before the copies were made; they do not have the owners "
            "of later batches' rows",
        ),
    ),
)

COPIED = (COPIED_TABLES, COPIED_SHARD)
RAW = (*INGESTED, *SCORED, *COPIED)

DROPPED = ("raw.incremental_copies",)
"""Tables of earlier versions, replaced by others."""
