"""The step between ingestion and the models: scores each new comment text once.

Scores belong to texts: 'link?' is scored once, however many people write it. Mentions belong to an
organization and a text, because its settings define the terms. If they change, the next run
searches all its comments again. A new version of the scorer reads new texts only; `rescores`
rescores all.

Scores are stored batch by batch, so a killed run resumes. A run that exceeds its time budget
leaves the newest texts to the next one, and records only batches before them as scored. Mentions
and the record of the completed run are one transaction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from time import monotonic
from uuid import UUID

import pyarrow as pa
from duckdb import DuckDBPyConnection

from warehouse.comment_scoring.folding import folded
from warehouse.comment_scoring.pending import pending_mentions, pending_texts, read_terms
from warehouse.comment_scoring.rules import SignalRules
from warehouse.comment_scoring.scorer import SentimentModel
from warehouse.comment_scoring.terms import TermMatcher, Terms
from warehouse.connection import transaction
from warehouse.raw.scoring_runs import last_score_seq

BUDGET_SECONDS = 600
"""How long a pipeline run scores, so that amounts do not wait for a slow model."""

WHERE_IT_STANDS = """
    with reached as (
        select distinct up_to_batch_seq as up_to
        from raw.comment_scorings
        order by up_to desc
        limit 2
    )

    select
        (select coalesce(max(up_to), 0) from reached),
        (select if(count(*) = 2, min(up_to), 0) from reached),
        (select coalesce(max(batch_seq), 0) from raw.batches)
"""
SCORES = pa.schema(
    {
        "text_id": pa.string(),
        "language": pa.string(),
        "sentiment": pa.string(),
        "sentiment_score": pa.float64(),
        "signals": pa.list_(pa.string()),
    }
)
MENTIONS = pa.schema({"signals": pa.list_(pa.string()), "terms_version": pa.string()})


@dataclass(frozen=True)
class Scoring:
    """Numbers of texts scored, searched for an organization's terms, and left to the next run."""

    texts: int
    mentions: int
    waiting: int = 0


def score_comments(
    connection: DuckDBPyConnection,
    model: SentimentModel,
    *,
    rescores: bool = False,
    budget_seconds: float = inf,
    now: Callable[[], float] = monotonic,
) -> Scoring:
    """Score the comments since the last run; with `rescores`, also those scored by other versions.

    Scores the oldest texts first, at least one batch, and stops after the batch that exceeds
    `budget_seconds` by the clock `now`. The operational copy must be current. Needs write access
    to the warehouse.
    """
    ends_at = now() + budget_seconds
    rules = SignalRules()
    [(since, before, up_to)] = connection.execute(WHERE_IT_STANDS).fetchall()
    last_seq = last_score_seq(connection)
    terms = read_terms(connection)
    texts = pending_texts(
        connection, since=since, model=model.name, rules=rules.version, rescores=rescores
    )
    scored = waiting = 0
    for part in texts:
        if scored == 0 or now() < ends_at:
            scored += _score(connection, part, model, rules, last_seq + 1)
        else:
            waiting += len(part)
            up_to = min(up_to, min(part["first_batch_seq"].to_pylist()) - 1)
    with transaction(connection):
        # A post may be registered after the copy, and its comments ingested: the next run knows it.
        mentions = pending_mentions(connection, since=before)
        scanned = sum(_scan(connection, part, terms, last_seq + 1) for part in mentions)
        if scored or scanned or up_to > since:
            connection.execute(
                "insert into raw.comment_scorings values (?, ?, ?, ?, ?, ?, ?)",
                [
                    last_seq + 1,
                    up_to,
                    model.name,
                    rules.version,
                    scored,
                    scanned,
                    datetime.now(UTC),
                ],
            )
    return Scoring(scored, scanned, waiting)


def _score(
    connection: DuckDBPyConnection,
    part: pa.Table,
    model: SentimentModel,
    rules: SignalRules,
    seq: int,
) -> int:
    ids, texts = _columns(part, "text_id", "text")
    rows = [
        {
            "text_id": text_id,
            "language": sentiment.language,
            "sentiment": sentiment.label,
            "sentiment_score": sentiment.compound,
            "signals": rules.signals(folded(text)),
        }
        for text_id, text, sentiment in zip(ids, texts, model.score(texts), strict=True)
    ]
    connection.register("scored", pa.Table.from_pylist(rows, schema=SCORES))
    connection.execute(
        "insert into raw.comment_scores by name select scored.*, $model as sentiment_model,"
        " $rules as rules_version, $now as scored_at, $seq as score_seq from scored",
        {"model": model.name, "rules": rules.version, "now": datetime.now(UTC), "seq": seq},
    )
    connection.unregister("scored")
    return len(rows)


def _scan(
    connection: DuckDBPyConnection, part: pa.Table, terms: dict[UUID, Terms], seq: int
) -> int:
    matchers = {
        organization: TermMatcher(terms[UUID(organization)])
        for organization in part["organization_id"].unique().to_pylist()
    }
    mentions = [
        {
            "signals": matchers[organization].mentions(folded(text)),
            "terms_version": terms[UUID(organization)].version,
        }
        for organization, text in zip(*_columns(part, "organization_id", "text"), strict=True)
    ]
    scanned = pa.Table.from_pylist(mentions, schema=MENTIONS)
    for name in ("organization_id", "text_id"):
        scanned = scanned.append_column(name, part[name])
    connection.register("scanned", scanned)
    connection.execute(
        "insert into raw.comment_mentions by name select scanned.*, ? as score_seq from scanned",
        [seq],
    )
    connection.unregister("scanned")
    return len(mentions)


def _columns(part: pa.Table, *names: str) -> list[list[str]]:
    return [part[name].to_pylist() for name in names]
