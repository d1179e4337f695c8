"""Payout structures as answers."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from serving_api.kit.readme import readme_version
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.payouts.structures import repository, schemas
from serving_api.resources.payouts.structures.rules import RULE
from serving_api.resources.payouts.structures.zones import today_of, zone_of
from warehouse.operational.models import PayoutStructure, PayoutVersion


def present(
    session: Session, rows: Sequence[PayoutStructure], organization_zone: str
) -> list[schemas.Structure]:
    """Return structures of one organization with their current rules."""
    if not rows:
        return []
    ids = [row.id for row in rows]
    current = repository.current_versions(session, rows[0].organization_id, ids)
    return [
        schemas.Structure(**_fields(row, organization_zone), **_rule(current[row.id]))
        for row in rows
    ]


def present_detail(
    session: Session, row: PayoutStructure, organization_zone: str
) -> schemas.StructureDetail:
    """Return one structure with all versions."""
    history = [present_version(version) for version in repository.versions(session, row)]
    today = today_of(session, row, organization_zone)
    return schemas.StructureDetail(
        **_fields(row, organization_zone),
        **{name: getattr(history[0], name) for name in (*RULE, "currency")},
        readme_version=readme_version(row.readme),
        current_version=history[0],
        versions=history,
        assignment_count=assignments.count_open(session, row, today),
    )


def present_version(row: PayoutVersion) -> schemas.Version:
    return schemas.Version(
        id=row.id,
        version_number=row.number,
        created_at=row.created_at,
        created_by=row.created_by,
        **_rule(row),
    )


def _fields(row: PayoutStructure, organization_zone: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "project_id": row.project_id,
        "name": row.name,
        "timezone": zone_of(row, organization_zone),
        "metadata": row.details,
        "readme": row.readme,
        "is_active": row.is_active,
        "archived_at": row.archived_at,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def _rule(version: PayoutVersion) -> dict[str, Any]:
    return {name: getattr(version, name) for name in (*RULE, "currency")}
