"""Raw tables of readings and fetches: what platforms showed, and how fetches ended."""

from warehouse.catalogue.counters import ACCOUNT_COUNTERS, VIDEO_COUNTERS, counts
from warehouse.catalogue.table import Change, Column, Table, never_null

BATCH_SEQ = never_null("batch_seq", "bigint", "raw.batches.batch_seq")
"""The number of the row's batch, assigned at ingestion and not in the batch itself."""

VIDEO_SNAPSHOTS = Table(
    schema="raw",
    name="video_snapshots",
    means="Every reading of a post's counters, as observed; null is unknown, never 0.",
    change=Change.ADDED,
    columns=(
        never_null("video_id", "uuid", "operational.videos.id"),
        never_null("captured_at", "timestamptz"),
        *counts(VIDEO_COUNTERS),
        never_null("is_exact", "boolean", "false: the platform rounds what this route shows"),
        never_null("source", "varchar", "the route read, or import"),
        BATCH_SEQ,
    ),
    in_time_order="captured_at",
)

ACCOUNT_SNAPSHOTS = Table(
    schema="raw",
    name="account_snapshots",
    means="Every reading of a profile's counters, as observed; null is unknown, never 0.",
    change=Change.ADDED,
    columns=(
        never_null("account_id", "uuid", "operational.accounts.id"),
        never_null("captured_at", "timestamptz"),
        *counts(ACCOUNT_COUNTERS),
        never_null("is_exact", "boolean"),
        never_null("source", "varchar"),
        BATCH_SEQ,
    ),
    in_time_order="captured_at",
)

SCRAPE_OUTCOMES = Table(
    schema="raw",
    name="scrape_outcomes",
    means="How every fetch of an account or a post ended. A failed fetch is a row here and never a "
    "reading.",
    change=Change.ADDED,
    columns=(
        Column("account_id", "uuid", "null for a post without an account"),
        Column("video_id", "uuid", "null for a fetch of an account"),
        never_null("job_type", "varchar", "creator_profiles, discover_videos, video_stats"),
        never_null("outcome", "varchar", "the closed set of scrapers/outcomes.py"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        Column("source", "varchar"),
        Column("videos_seen", "bigint"),
        never_null("reached_known", "boolean"),
        never_null("started_at", "timestamptz"),
        never_null("finished_at", "timestamptz"),
        BATCH_SEQ,
    ),
    in_time_order="finished_at",
)
