"""What the publication says of accruals: what each recomputes to, and which decisions it knows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import Content
from warehouse.reading.accruals.asked import Published
from warehouse.reading.accruals.coverage import view_coverage
from warehouse.reading.accruals.facts import Moment
from warehouse.reading.accruals.held_posts import held_posts
from warehouse.reading.accruals.readings_behind import with_readings
from warehouse.reading.accruals.standing_views import standing_views
from warehouse.reading.by_ids import read_by_ids

STATE = """
    select
        as_of,
        coalesce((select decided_up_to from marts.run), 0) as decided_up_to,
        coalesce(
            (
                select payout_settling_days
                from marts.organizations
                where organization_id = $organization_id
            ),
            0
        ) as settling_days
    from marts.publication
"""

_OWED = (
    "organization_id",
    "project_id",
    "structure_id",
    "creator_id",
    "version_id",
    "version_number",
    "criteria_type",
    "period_start",
    "period_end",
    "subject_id",
    "view_count",
    "currency",
    "amount_cents",
    "precise_amount",
    "limited_by",
    "timezone",
)

_AMONG_IDS = """
    where
        organization_id = $organization_id
        and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
"""

OWED = f"""
    select
        accrual_id,
        {", ".join(_OWED)},
        (select as_of from marts.publication) as computed_at
    from marts.payout_earned
    {_AMONG_IDS}
"""  # noqa: S608  column names of ours

EVIDENCE = f"""
    select
        accrual_id,
        evidence,
        creator_id,
        timezone,
        period_start,
        ends_at
    from marts.payout_earnings
    {_AMONG_IDS}
"""  # noqa: S608  as above

SUBJECTS = f"""
    select
        accrual_id,
        coalesce(adjusts_accrual_id, accrual_id) as subject
    from marts.payout_decided_accruals
    {_AMONG_IDS}
"""  # noqa: S608  as above


@dataclass(frozen=True, slots=True)
class PublishedState:
    """When the publication is of, and up to which transaction it knows what people decided.

    What transactions of PostgreSQL from `decided_up_to` on wrote may be newer.
    """

    moment: Moment
    decided_up_to: int


def published_state(cursor: DuckDBPyConnection, organization_id: UUID) -> PublishedState:
    """Return how far the publication reaches for an organization."""
    row = cursor.execute(STATE, {"organization_id": organization_id}).fetchall()[0]
    as_of, decided_up_to, settling_days = row
    return PublishedState(Moment(as_of, settling_days), decided_up_to)


def owed(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, Content]:
    """Return what accruals recompute to; one whose subject is gone is left out."""
    return read_by_ids(cursor, OWED, _content, organization_id, ids)


def evidence_of(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, dict[str, Any]]:
    """Return what the recomputed amounts were computed from, and by which readings.

    Of cpm, `views_as_of` says which posts' views stand still, and since when; of cpm and goals,
    `held` which posts are left out until their true posting time is known; of cpm, `view_coverage`
    how many of the readings that were due came, None where none was.
    """
    found = read_by_ids(cursor, EVIDENCE, _published, organization_id, ids)
    looked_up = {
        "views_as_of": standing_views(cursor, organization_id, found),
        "held": held_posts(cursor, organization_id, found),
        "view_coverage": view_coverage(cursor, organization_id, found),
    }
    evidences = {one: of.evidence for one, of in found.items()}
    return {
        one: {**evidence, **{name: of[one] for name, of in looked_up.items() if one in of}}
        for one, evidence in with_readings(cursor, organization_id, evidences).items()
    }


def subjects_of(
    cursor: DuckDBPyConnection, organization_id: UUID, ids: Sequence[UUID]
) -> Mapping[UUID, UUID]:
    """Return what accruals that were decided about, or adjust such, are about.

    All others are about themselves.
    """
    return read_by_ids(cursor, SUBJECTS, lambda subject: subject, organization_id, ids)


def _published(evidence: str, *columns: Any) -> Published:
    return Published(json.loads(evidence), *columns)


def _content(*columns: Any) -> Content:
    return Content(**dict(zip((*_OWED, "computed_at"), columns, strict=True)))
