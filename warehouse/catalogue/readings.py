"""Raw tables of what platforms showed: readings, how fetches ended, and comments with scores."""

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
    has_history=True,
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


COMMENTS = Table(
    schema="raw",
    name="comments",
    means="Every comment as a comment crawl showed it. An edited text or a changed like count is "
    "another row; the latest row counts. Null: not shown.",
    change=Change.ADDED,
    columns=(
        never_null("video_id", "uuid", "operational.videos.id"),
        never_null("platform_comment_id", "varchar"),
        never_null("text", "varchar", "empty for only a picture or sticker"),
        Column("like_count", "bigint"),
        Column("reply_count", "bigint", "replies are counted, not collected"),
        Column("author_unique_id", "varchar", "the handle, lower case"),
        Column("author_nickname", "varchar"),
        Column("posted_at", "timestamptz"),
        never_null("captured_at", "timestamptz"),
        never_null("source", "varchar", "the route read"),
        BATCH_SEQ,
    ),
    in_time_order="captured_at",
)

COMMENT_WALKS = Table(
    schema="raw",
    name="comment_walks",
    means="How every comment crawl of a post ended. A comment that a complete crawl did not show "
    "is no longer there; an incomplete crawl says nothing about comments that it did not show.",
    change=Change.ADDED,
    columns=(
        never_null("video_id", "uuid", "operational.videos.id"),
        never_null("outcome", "varchar", "the closed set of scrapers/outcomes.py"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        never_null("is_complete", "boolean", "it reached the end of the list"),
        Column("platform_comment_count", "bigint", "as the platform counts them, replies included"),
        never_null("collected_count", "bigint", "comments that this crawl showed"),
        Column("source", "varchar"),
        never_null("started_at", "timestamptz"),
        never_null("finished_at", "timestamptz"),
        BATCH_SEQ,
    ),
    in_time_order="finished_at",
)

COMMENT_SCORES = Table(
    schema="raw",
    name="comment_scores",
    means="Language, sentiment and signals of each distinct comment text, one row for each "
    "version of the scorer. The row with the greatest score_seq counts.",
    key=("text_id", "score_seq"),
    change=Change.ADDED,
    columns=(
        never_null("text_id", "uuid", "the first half of the text's SHA-256"),
        never_null("language", "varchar", "ISO 639-1; zxx: no words; und: undecided"),
        Column(
            "sentiment",
            "varchar",
            "positive, neutral, negative; null: not scored, because the language is unknown",
        ),
        Column("sentiment_score", "decimal(5, 4)", "-1 to 1; null: not scored"),
        never_null("sentiment_model", "varchar", "name and version of the model"),
        never_null("signals", "varchar[]", "all but brand_mention and competitor"),
        never_null("rules_version", "varchar"),
        never_null("scored_at", "timestamptz", "real clock"),
        never_null("score_seq", "bigint", "raw.comment_scorings.score_seq"),
    ),
)

COMMENT_MENTIONS = Table(
    schema="raw",
    name="comment_mentions",
    means="Which of an organization's terms a comment text mentions, one row for each version "
    "of the terms. The row with the greatest score_seq counts.",
    key=("organization_id", "text_id", "score_seq"),
    change=Change.ADDED,
    columns=(
        never_null("organization_id", "uuid"),
        never_null("text_id", "uuid"),
        never_null("signals", "varchar[]", "of brand_mention, competitor"),
        never_null("terms_version", "varchar"),
        never_null("score_seq", "bigint"),
    ),
)

COMMENT_SCORINGS = Table(
    schema="raw",
    name="comment_scorings",
    means="One row for each completed scorer run: the texts of all batches up to "
    "up_to_batch_seq are scored. Rows of a killed run are reused by the next one.",
    key=("score_seq",),
    change=Change.ADDED,
    columns=(
        never_null("score_seq", "bigint"),
        never_null("up_to_batch_seq", "bigint"),
        never_null("sentiment_model", "varchar"),
        never_null("rules_version", "varchar"),
        never_null("texts", "bigint", "scored by this run"),
        never_null("mentions", "bigint", "searched for terms by this run"),
        never_null("scored_at", "timestamptz", "real clock"),
    ),
)
