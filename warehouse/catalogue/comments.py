"""Raw tables of comments: what crawls showed, and what the texts say."""

from warehouse.catalogue.readings import BATCH_SEQ
from warehouse.catalogue.table import Change, Column, Table, never_null

COMMENTS = Table(
    schema="raw",
    name="comments",
    means="Every comment as a walk through a post's comments showed it: a text that was edited and "
    "a like count that moved are further rows, and the latest ones count; null is not shown.",
    change=Change.ADDED,
    columns=(
        never_null("video_id", "uuid", "operational.videos.id"),
        never_null("platform_comment_id", "varchar"),
        never_null("text", "varchar", "empty for a picture or sticker alone"),
        Column("like_count", "bigint"),
        Column("reply_count", "bigint", "answers to it; they are counted, not collected"),
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
    means="How every walk through a post's comments ended. What a complete walk did not show is "
    "gone; an unfinished one says nothing of what it did not show.",
    change=Change.ADDED,
    columns=(
        never_null("video_id", "uuid", "operational.videos.id"),
        never_null("outcome", "varchar", "the closed set of scrapers/outcomes.py"),
        Column("detail", "varchar"),
        Column("http_status", "bigint"),
        never_null("is_complete", "boolean", "it reached the end of the list"),
        Column("platform_comment_count", "bigint", "as the platform counts them, replies included"),
        never_null("collected_count", "bigint", "comments that this walk showed"),
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
    means="What each text of a comment says, whoever wrote it and wherever: one row for each "
    "version of the scorer that read it, and the row with the greatest score_seq is the one that "
    "counts.",
    key=("text_id", "score_seq"),
    change=Change.ADDED,
    columns=(
        never_null("text_id", "uuid", "the first half of the text's SHA-256"),
        never_null("language", "varchar", "ISO 639-1; zxx: no words; und: undecided"),
        Column(
            "sentiment",
            "varchar",
            "positive, neutral, negative; null: not scored, the language is not known",
        ),
        Column("sentiment_score", "decimal(5, 4)", "-1 to 1; null: not scored"),
        never_null("sentiment_model", "varchar", "name and version of what looked at it"),
        never_null("signals", "varchar[]", "all but brand_mention and competitor"),
        never_null("rules_version", "varchar"),
        never_null("scored_at", "timestamptz", "real clock"),
        never_null("score_seq", "bigint", "raw.comment_scorings.score_seq"),
    ),
)

COMMENT_MENTIONS = Table(
    schema="raw",
    name="comment_mentions",
    means="Which of an organization's terms a text of its comments mentions: one row for each "
    "version of the terms, and the row with the greatest score_seq is the one that counts.",
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
    means="One row for each pass of the scorer that is whole: the texts of all batches up to "
    "up_to_batch_seq are scored then. What a pass wrote before it was killed is found there by the "
    "next one.",
    key=("score_seq",),
    change=Change.ADDED,
    columns=(
        never_null("score_seq", "bigint"),
        never_null("up_to_batch_seq", "bigint"),
        never_null("sentiment_model", "varchar"),
        never_null("rules_version", "varchar"),
        never_null("texts", "bigint", "scored by this pass"),
        never_null("mentions", "bigint", "looked through for terms by this pass"),
        never_null("scored_at", "timestamptz", "real clock"),
    ),
)
