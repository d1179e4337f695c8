"""Finds the texts that a scorer run has to read: unscored, or not searched for terms.

It reads batches since the last run, and all batches of organizations whose terms changed.
"""

from collections.abc import Iterator
from uuid import UUID

import pyarrow as pa
from duckdb import DuckDBPyConnection

from warehouse.comment_scoring.terms import Terms
from warehouse.operational.comment_settings import effective_brand_terms

TEXT_ID = "left(sha256(text), 32)::uuid"
SCORED_AT_ONCE, AT_ONCE = 1_000, 20_000
"""Texts scored at a time, which takes the slowest model 100 s, and texts searched at a time."""

SETTINGS = """
    select organizations.id, organizations.name, settings.brand_terms, settings.competitor_terms
    from operational.organizations
    left join operational.comment_settings as settings
        on settings.organization_id = organizations.id
"""
TERMS_IN_FORCE = """
    create or replace temporary table terms_in_force as
    with
        last_used as (
            select organization_id, arg_max(terms_version, score_seq) as terms_version
            from raw.comment_mentions
            group by organization_id
        )
    select
        terms.organization_id::uuid as organization_id,
        terms.terms_version,
        coalesce(last_used.terms_version <> terms.terms_version, false) as is_changed
    from terms
    left join last_used on last_used.organization_id = terms.organization_id::uuid
"""
TEXTS = f"""
    create or replace temporary table pending_texts as
    with
        read as (
            select
                {TEXT_ID} as text_id,
                any_value(text) as text,
                min(batch_seq) as first_batch_seq
            from raw.comments
            where batch_seq > $since
            group by text_id
        ),
        known as (
            select text_id
            from raw.comment_scores
            where not $rescores or (sentiment_model = $model and rules_version = $rules)
        )
    select text_id, text, first_batch_seq, row_number() over (order by first_batch_seq) as number
    from read
    anti join known using (text_id)
"""  # noqa: S608  ours
MENTIONS = f"""
    create or replace temporary table pending_mentions as
    with
        read as (
            select organization_id, terms_version, text
            from raw.comments
            inner join operational.videos on videos.id = comments.video_id
            inner join terms_in_force using (organization_id)
            where comments.batch_seq > $since
            union all
            select organization_id, terms_version, text
            from raw.comments
            inner join operational.videos on videos.id = comments.video_id
            inner join terms_in_force using (organization_id)
            where terms_in_force.is_changed
        ),
        texts as (
            select organization_id, terms_version, {TEXT_ID} as text_id, any_value(text) as text
            from read
            group by organization_id, terms_version, text_id
        ),
        last_scans as (
            select organization_id, text_id, arg_max(terms_version, score_seq) as terms_version
            from raw.comment_mentions
            semi join texts using (organization_id, text_id)
            group by organization_id, text_id
        )
    select *, row_number() over (order by organization_id) as number
    from texts
    anti join last_scans using (organization_id, text_id, terms_version)
"""  # noqa: S608  ours


def read_terms(connection: DuckDBPyConnection) -> dict[UUID, Terms]:
    """Return each organization's terms. Records changed ones in the table terms_in_force."""
    terms_of = {
        organization: Terms(
            tuple(effective_brand_terms(name, brand or ())), tuple(competitor or ())
        )
        for organization, name, brand, competitor in connection.execute(SETTINGS).fetchall()
    }
    versions = {
        "organization_id": [str(organization) for organization in terms_of],
        "terms_version": [terms.version for terms in terms_of.values()],
    }
    schema = pa.schema({"organization_id": pa.string(), "terms_version": pa.string()})
    connection.register("terms", pa.table(versions, schema=schema))
    connection.execute(TERMS_IN_FORCE)
    connection.unregister("terms")
    return terms_of


def pending_texts(
    connection: DuckDBPyConnection, *, since: int, model: str, rules: str, rescores: bool
) -> Iterator[pa.Table]:
    """Yield batches (text_id, text, first_batch_seq) of unscored texts, the oldest first.

    With `rescores`, also texts that other versions scored.
    """
    searched = {
        "since": 0 if rescores else since,
        "rescores": rescores,
        "model": model,
        "rules": rules,
    }
    connection.execute(TEXTS, searched)
    columns = "text_id::varchar as text_id, text, first_batch_seq"
    yield from _batches(connection, "pending_texts", columns, SCORED_AT_ONCE)


def pending_mentions(connection: DuckDBPyConnection, *, since: int) -> Iterator[pa.Table]:
    """Yield batches (organization_id, text_id, text) to search for terms."""
    connection.execute(MENTIONS, {"since": since})
    ids = "organization_id::varchar as organization_id, text_id::varchar as text_id"
    yield from _batches(connection, "pending_mentions", f"{ids}, text", AT_ONCE)


def _batches(
    connection: DuckDBPyConnection, table: str, columns: str, at_once: int
) -> Iterator[pa.Table]:
    for first in range(0, len(connection.table(table)), at_once):
        yield connection.execute(
            f"select {columns} from {table} where number > ? and number <= ?",  # noqa: S608  ours
            [first, first + at_once],
        ).to_arrow_table()
    connection.execute(f"drop table {table}")
