"""All control tables: the run under way, what was published last, and the past beside them."""

from warehouse.catalogue.past import PAST
from warehouse.catalogue.table import Change, Column, Table, never_null

RUN = Table(
    schema="control",
    name="run",
    means="The run under way: one row, replaced as a run begins. It is what the models read of it.",
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
        Column("previous_as_of", "timestamptz"),
        Column("first_reading_at", "timestamptz"),
        Column("backfill_from", "timestamptz"),
        Column("backfill_to", "timestamptz"),
    ),
)

PUBLISHED = Table(
    schema="control",
    name="published",
    means="The last published run: none or one row, replaced as a run was published.",
    change=Change.REPLACED,
    columns=(
        never_null("run_id", "uuid"),
        never_null("as_of", "timestamptz"),
        never_null("to_batch_seq", "bigint"),
        never_null("to_copy", "bigint"),
        never_null("to_score_seq", "bigint"),
        Column("first_reading_at", "timestamptz"),
    ),
)

MODELS = Table(
    schema="control",
    name="models",
    means="Which models computed the past that is kept here, one row: a digest of their sources.",
    change=Change.REPLACED,
    columns=(never_null("version", "varchar"),),
)

CONTENTS = Table(
    schema="control",
    name="contents",
    means="What the build of a run made of what, written at its end: a later run leaves out what "
    "it would only make again. It says something of the warehouse while that run is the last "
    "published one.",
    key=("run_id", "node"),
    change=Change.REPLACED,
    columns=(
        never_null("run_id", "uuid"),
        never_null("node", "varchar", "dbt's unique id"),
        never_null("made_of", "varchar", "digest of its statements and of what its parents hold"),
        never_null("holds", "varchar", "the same where the rows are the same"),
    ),
)

CONTROL = (RUN, PUBLISHED, MODELS, CONTENTS, *PAST)
