"""Payout structures as answers."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from serving_api.kit.readme import readme_version
from serving_api.kit.rows import from_row
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.payouts.structures import repository, schemas
from serving_api.resources.payouts.structures.repository import today_of, zone_of
from serving_api.resources.payouts.structures.rules import RULE
from warehouse.operational.models import PayoutStructure, PayoutVersion


def present(
    session: Session, rows: Sequence[PayoutStructure], organization_zone: str
) -> list[schemas.Structure]:
    if not rows:
        return []
    ids = [row.id for row in rows]
    current = repository.current_versions(session, rows[0].organization_id, ids)
    return [
        from_row(
            schemas.Structure,
            row,
            timezone=zone_of(row, organization_zone),
            **_rule(current[row.id]),
        )
        for row in rows
    ]


def present_detail(
    session: Session, row: PayoutStructure, organization_zone: str
) -> schemas.StructureDetail:
    history = [present_version(version) for version in repository.versions(session, row)]
    today = today_of(session, row, organization_zone)
    return from_row(
        schemas.StructureDetail,
        row,
        timezone=zone_of(row, organization_zone),
        **{name: getattr(history[0], name) for name in (*RULE, "currency")},
        readme_version=readme_version(row.readme),
        current_version=history[0],
        versions=history,
        assignment_count=assignments.count_open(session, row.organization_id, [row.id], today).get(
            row.id, 0
        ),
    )


def present_version(row: PayoutVersion) -> schemas.Version:
    return from_row(schemas.Version, row, version_number=row.number, **_rule(row))


def _rule(version: PayoutVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in (*RULE, "currency")}
