"""Accruals in the publication: recomputed amounts, evidence, and known decisions."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import COMPUTED_NAMES, Content
from warehouse.reading.accruals.coverage import (
    Evidence,
    Published,
    instant,
    of_requested,
    parameters_of,
    view_coverage,
)
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.accruals.readings_behind import with_readings
from warehouse.reading.statements import named_rows, over, read_by_ids, statement

# cpm evidence is as of the period's end; later readings count in the next period. Looked up when
# evidence is read, as in `readings_behind`.
_READ_ON: Final = statement(__name__, "read_on.sql")
BETWEEN, STALE_VIEWS = (
    of_requested(over(statement(__name__, name), read_on=_READ_ON))
    for name in ("read_between.sql", "stale_views.sql")
)
"""The second query gets the instants as parameters, because DuckDB excludes months only by
constants.
"""


def stale_views(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return by cpm accrual the posts whose last readings did not show views.

    The longest unchanged first. Includes the creator's present posts in the version's scope,
    unless their lifetime ended before.
    """
    cpm_accruals = {
        accrual_id: of for accrual_id, of in published.items() if "platform_scope" in of.evidence
    }
    if not cpm_accruals:
        return {}
    posts_of: dict[UUID, list[dict[str, str]]] = {accrual_id: [] for accrual_id in cpm_accruals}
    parameters = parameters_of(organization_id, cpm_accruals)
    [(from_at, until_at)] = cursor.execute(BETWEEN, parameters).fetchall()
    if from_at is None:
        return posts_of
    parameters |= {"from_at": from_at, "until_at": until_at}
    for accrual_id, video_id, at in cursor.execute(STALE_VIEWS, parameters).fetchall():
        posts_of[accrual_id].append({"video_id": video_id, "views_as_of": instant(at)})
    return posts_of


# Posts are excluded until their posting time is known or the wait ends.
COUNTING_POSTS = ("cpm", "goals")
"""Types of evidence whose amount counts posts over a period."""

AWAITED: Final = of_requested(statement(__name__, "awaited_posts.sql"))


def awaited_posts(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, list[dict[str, str]]]:
    """Return by accrual the posts excluded from it, and until when at the latest."""
    counting_posts = {
        accrual_id: of
        for accrual_id, of in published.items()
        if of.evidence["type"] in COUNTING_POSTS
    }
    if not counting_posts:
        return {}
    posts_of: dict[UUID, list[dict[str, str]]] = {accrual_id: [] for accrual_id in counting_posts}
    parameters = parameters_of(organization_id, counting_posts)
    for accrual_id, video_id, until in cursor.execute(AWAITED, parameters).fetchall():
        post = {"video_id": video_id, "posted_at_awaited_until": instant(until)}
        posts_of[accrual_id].append(post)
    return posts_of


STATE: Final = statement(__name__, "state.sql")
OWED: Final = statement(__name__, "owed.sql")
PERIOD_ENDS: Final = statement(__name__, "period_ends.sql")
EVIDENCE: Final = """
    select
        accrual_id,
        evidence,
        creator_id,
        timezone,
        period_start,
        ends_at
    from machinery.payout_earnings
    where
        organization_id = $organization_id
        and accrual_id in ({ids})
        and period_end in ({days})
        and creator_id between $first_creator and $last_creator
"""
"""Evidence of amounts, with creator and period.

Evidence is wide and computed when read, for all rows that a join might keep. Literal ids and days
let DuckDB skip row groups: ten amounts cost 1/60. The range of creators excludes further row
groups on these days: without it, ten amounts of a creator cost half as much again.
"""
SUBJECTS: Final = statement(__name__, "subjects_of.sql")

Lookup = Callable[[DuckDBPyConnection, UUID, Mapping[UUID, Published]], Mapping[UUID, Any]]
SENTENCE_LOOKUPS: Final[Mapping[str, Lookup]] = {"views_as_of": stale_views, "held": awaited_posts}


@dataclass(frozen=True, slots=True)
class PublishedState:
    """as_of of the publication, and the first transaction whose decisions it may lack.

    Writes of PostgreSQL's transactions from `decided_up_to` on may be newer.
    """

    moment: Moment
    decided_up_to: int


def published_state(cursor: DuckDBPyConnection, organization_id: UUID) -> PublishedState:
    row = cursor.execute(STATE, {"organization_id": organization_id}).fetchall()[0]
    as_of, decided_up_to, settling_days = row
    return PublishedState(Moment(as_of, settling_days), decided_up_to)


@dataclass(frozen=True, slots=True)
class OwedQuery:
    """An organization and accruals to recompute."""

    organization_id: UUID
    ids: tuple[UUID, ...]


def owed(cursor: DuckDBPyConnection, query: OwedQuery) -> Mapping[UUID, Content]:
    """Return recomputed accruals, without those whose subject is gone."""
    columns = {"computed": COMPUTED_NAMES}
    return read_by_ids(cursor, OWED, Content, query.organization_id, query.ids, more=columns)


def evidence_of(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, Evidence]:
    """Return the evidence of recomputed amounts, with its readings."""
    published = _explained(cursor, organization_id, ids)
    return with_what_was_read(cursor, organization_id, published)


def with_what_was_read(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, Evidence]:
    """Return evidence with what the publication's readings add.

    Adds the fields of `load_sentence_evidence`, the readings, and for cpm `view_coverage`: how
    many due readings succeeded, None if none was due.
    """
    evidences = {accrual_id: of.evidence for accrual_id, of in published.items()}
    behind = with_readings(cursor, organization_id, evidences)
    sentences = _looked_up(cursor, organization_id, published, SENTENCE_LOOKUPS)
    covered = _looked_up(cursor, organization_id, published, {"view_coverage": view_coverage})
    return {
        accrual_id: {**behind[accrual_id], **sentences[accrual_id], **covered[accrual_id]}
        for accrual_id in published
    }


def load_sentence_evidence(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, Evidence]:
    """Return the evidence for a sentence about the amounts, at half the cost of all.

    For cpm, `views_as_of` lists posts whose views stand still, and since when. For cpm and goals,
    `held` lists posts excluded until their true posting time is known.
    """
    published = _explained(cursor, organization_id, ids)
    sentences = _looked_up(cursor, organization_id, published, SENTENCE_LOOKUPS)
    return {
        accrual_id: {**of.evidence, **sentences[accrual_id]} for accrual_id, of in published.items()
    }


def _looked_up(
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    published: Mapping[UUID, Published],
    lookups: Mapping[str, Lookup],
) -> Mapping[UUID, Evidence]:
    """Return the looked-up fields of each accrual, where they apply."""
    values = {name: lookup(cursor, organization_id, published) for name, lookup in lookups.items()}
    return {
        accrual_id: {name: of[accrual_id] for name, of in values.items() if accrual_id in of}
        for accrual_id in published
    }


def subjects_of(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, UUID]:
    """Return the subjects of accruals with decisions and of their adjustments.

    All others are their own subject.
    """
    return read_by_ids(cursor, SUBJECTS, lambda subject: subject, organization_id, ids)


class _Whereabouts(NamedTuple):
    """Columns by which DuckDB finds an accrual quickly."""

    period_end: date
    creator_id: UUID


def _explained(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, Published]:
    by_ids = read_by_ids(cursor, PERIOD_ENDS, _Whereabouts, organization_id, ids)
    if not by_ids:
        return {}
    days = {whereabouts.period_end for whereabouts in by_ids.values()}
    creators = {whereabouts.creator_id for whereabouts in by_ids.values()}
    literals: dict[str, dict[str, Any]] = {
        "ids": {f"id_{number}": accrual_id for number, accrual_id in enumerate(by_ids)},
        "days": {f"day_{number}": day for number, day in enumerate(days)},
    }
    named = {
        name: ", ".join(f"${parameter}" for parameter in values)
        for name, values in literals.items()
    }
    parameters = {
        "organization_id": organization_id,
        "first_creator": min(creators),
        "last_creator": max(creators),
        **literals["ids"],
        **literals["days"],
    }
    rows = named_rows(cursor.execute(EVIDENCE.format(**named), parameters))
    return {
        row.pop("accrual_id"): Published(**{**row, "evidence": json.loads(row["evidence"])})
        for row in rows
    }
