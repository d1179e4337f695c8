"""All control tables: the build under way, the last published build, and the past."""

from warehouse.catalogue.past import PAST
from warehouse.catalogue.table import Change, Column, Table, never_null

RUN = Table(
    schema="control",
    name="run",
    means="The build under way, as the models read it: one row, replaced when a build begins.",
    change=Change.REPLACED,
    columns=(
        never_null("run_id", "uuid"),
        never_null("as_of", "timestamptz"),
        never_null("is_full_refresh", "boolean"),
        never_null("follows_unfinished", "boolean"),
        never_null("from_batch_seq", "bigint"),
        never_null("to_batch_seq", "bigint"),
        never_null("from_copy", "bigint"),
        never_null("to_copy", "bigint"),
        never_null("from_score_seq", "bigint"),
        never_null("to_score_seq", "bigint"),
        never_null(
            "retracted", "varchar", "numbers of the batches of retracted imports, 0 for none"
        ),
        Column("previous_as_of", "timestamptz"),
        Column("first_reading_at", "timestamptz"),
        Column("backfill_from", "timestamptz"),
        Column("backfill_to", "timestamptz"),
    ),
)

PUBLISHED = Table(
    schema="control",
    name="published",
    means="The last published build: at most one row, replaced at each publication.",
    change=Change.REPLACED,
    columns=(
        never_null("run_id", "uuid"),
        never_null("as_of", "timestamptz"),
        never_null("to_batch_seq", "bigint"),
        never_null("to_copy", "bigint"),
        never_null("to_score_seq", "bigint"),
        never_null("retracted", "varchar"),
        Column("first_reading_at", "timestamptz"),
    ),
)

MODELS = Table(
    schema="control",
    name="models",
    means="Digest of the models that computed the past stored here: one row.",
    change=Change.REPLACED,
    columns=(never_null("version", "varchar"),),
)

CONTENTS = Table(
    schema="control",
    name="contents",
    means="Digests of each node's inputs and output, written at the end of a build, so that a "
    "later build skips unchanged nodes. Valid while that build is the last published one.",
    key=("run_id", "node"),
    change=Change.REPLACED,
    columns=(
        never_null("run_id", "uuid"),
        never_null("node", "varchar", "dbt's unique id"),
        never_null("made_of", "varchar", "digest of its statements and of its parents' output"),
        never_null("holds", "varchar", "digest of its rows"),
    ),
)

CONTROL = (RUN, PUBLISHED, MODELS, CONTENTS, *PAST)
