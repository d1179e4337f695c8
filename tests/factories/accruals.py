"""Accruals as the models publish them, written without a build."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import duckdb
from sqlalchemy import text

from tests.factories.marts import add_rows
from tests.factories.publications import publish_rows
from tests.fixtures.api import NOW, Tenant
from warehouse.catalogue.accruals import COMPUTED
from warehouse.operational.models import PayoutAccrualDecision
from warehouse.operational.store import OperationalStore
from warehouse.reading.accruals.accrual import CONTENT, Content
from warehouse.settings import Settings

RECURRING = {
    "type": "recurring",
    "amount_cents": 10_000,
    "proration_mode": "prorate",
    "days": 7,
    "covered_days": 7,
    "paused_days": 0,
    "limited_by": [],
}


@dataclass(frozen=True)
class Earning:
    """An accrual as the models recompute it."""

    id: UUID
    content: Content
    evidence: Mapping[str, Any] = field(default_factory=lambda: RECURRING)
    is_checked: bool = False


def earning(
    tenant: Tenant,
    structure: Mapping[str, Any],
    creator: Mapping[str, Any],
    days: tuple[date, date],
    cents: int,
    **changes: Any,
) -> Earning:
    """Return a structure's accrual for a creator and period, with a deterministic id."""
    evidence = changes.pop("evidence", RECURRING)
    version = structure["current_version"]
    content = Content(
        **{
            "organization_id": tenant.organization_id,
            "project_id": tenant.project_id,
            "structure_id": UUID(structure["id"]),
            "creator_id": UUID(creator["id"]),
            "version_id": UUID(version["id"]),
            "version_number": version["version_number"],
            "criteria_type": structure["criteria_type"],
            "period_start": days[0],
            "period_end": days[1],
            "subject_id": None,
            "view_count": None,
            "currency": "USD",
            "amount_cents": cents,
            "precise_amount": Decimal(cents).quantize(Decimal("1e-9")),
            "limited_by": None,
            "timezone": "UTC",
            "computed_at": NOW,
            **changes,
        }
    )
    name = f"{structure['id']}/{creator['id']}/{days[0]}/{content.view_count}"
    return Earning(uuid5(NAMESPACE_OID, name), content, evidence)


def publish_earnings(
    settings: Settings,
    store: OperationalStore,
    earnings: Iterable[Earning],
    *,
    as_of: datetime = NOW,
    settling_days: int = 0,
    decided_up_to: int | None = None,
    **tables: Iterable[Mapping[str, Any]],
) -> None:
    """Publish these earnings, without decisions, together with rows of other `tables`.

    The publication includes decisions up to now; with `decided_up_to=0` it includes none.
    """
    known = list(earnings)
    organizations = {earning.content.organization_id for earning in known}
    up_to = current_transaction(store) if decided_up_to is None else decided_up_to
    publish_rows(
        settings,
        as_of,
        payout_earned=[earned_row(earning) for earning in known],
        organizations=[
            {
                "organization_id": organization,
                "analytics_tz": "UTC",
                "payout_settling_days": settling_days,
            }
            for organization in organizations
        ],
        run=[{"as_of": as_of, "decided_up_to": up_to}],
        **tables,
    )


def insert_rows(
    connection: duckdb.DuckDBPyConnection, **tables: Iterable[Mapping[str, Any]]
) -> None:
    """Insert rows into existing marts."""
    for table, rows in tables.items():
        add_rows(connection, table, rows)


def current_transaction(store: OperationalStore) -> int:
    """Return the lower bound of all future transaction ids."""
    xmin = text("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
    with store.engine.connect() as connection:
        return int(connection.scalars(xmin).one())


def decided(tenant: Tenant, earning: Earning, decision: str | None = None) -> UUID:
    """Store a decision about an accrual, published or not; return the accrual's id."""
    with tenant.api.store.write_session() as session:
        session.add(
            PayoutAccrualDecision(
                **{name: getattr(earning.content, name) for name in CONTENT},
                accrual_id=earning.id,
                evidence=dict(earning.evidence),
                decision=decision,
                decided_at=NOW,
            )
        )
    return earning.id


def earned_row(earning: Earning) -> dict[str, Any]:
    return {
        **{column.name: getattr(earning.content, column.name) for column in COMPUTED},
        "accrual_id": earning.id,
        "ends_at": earning.content.ends_at,
        "is_checked": earning.is_checked,
        "evidence": json.dumps(earning.evidence),
        "cpm_evidence": _of_cpm(earning.evidence),
    }


def _of_cpm(evidence: Mapping[str, Any]) -> list[dict[str, int]] | None:
    if evidence.get("type") != "cpm":
        return None
    return [{"impressions": evidence.get("payable", 0), "carry_in": 0}]


def recurring(covered: int = 7, paused: int = 0) -> dict[str, Any]:
    """Return the evidence of a weekly retainer of $100.00."""
    return {
        "type": "recurring",
        "amount_cents": 10_000,
        "proration_mode": "prorate",
        "days": 7,
        "covered_days": covered,
        "paused_days": paused,
        "limited_by": [] if covered == 7 else ["proration"],
    }
