"""What creators are owed, as the models would have published it, worked out by nobody."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import duckdb
from sqlalchemy import text

from tests.factories.marts import add_rows, create_marts
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.operational import settings_for
from warehouse.catalogue.accruals import COMPUTED
from warehouse.clock import system_clock
from warehouse.ids import uuid7
from warehouse.models_version import models_version
from warehouse.operational.models import PayoutAccrualDecision
from warehouse.operational.store import OperationalStore
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.info import PublicationInfo, write_info
from warehouse.publication.layout import DATABASE, new_publication
from warehouse.publication.publish import publish
from warehouse.publication.retention import retire
from warehouse.reading.accruals.accrual import CONTENT, Content
from warehouse.settings import Settings
from warehouse.transaction import transaction

BIG = {fact.name for fact in BIG_FACTS}
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
    """What a structure (as GET answers it) owes a creator for a period, the same id each time."""
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
    """Make a publication current that knows nothing of what people decided; rows of more `tables`.

    Which is so of decisions up to now, unless `decided_up_to` says that all are newer (0).
    """
    known = list(earnings)
    organizations = {earning.content.organization_id for earning in known}
    up_to = current_transaction(store) if decided_up_to is None else decided_up_to
    publish_accruals(
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


def publish_accruals(
    settings: Settings, as_of: datetime, **tables: Iterable[Mapping[str, Any]]
) -> None:
    """Make marts with these rows the current publication, a copy of an empty one.

    A whole publication takes six times as much. It has no base: all rows are its own.
    """
    publications = settings.publications_path
    info = PublicationInfo(uuid7(), as_of, system_clock(), models_version(), None)
    with new_publication(publications, info.publication_id) as folder:
        (folder / DATABASE).write_bytes(_empty_publication())
        with duckdb.connect(folder / DATABASE) as connection, transaction(connection):
            connection.execute("set TimeZone = 'UTC'")
            connection.execute("delete from files.base")
            for table, rows in tables.items():
                add_rows(connection, table, rows, schema="recent" if table in BIG else None)
            # create_marts has this column generated, which a published table is not.
            connection.execute("update recent.comments set searched_text = lower(text)")
            write_info(connection, info)
    retire(publications, info.published_at)


@cache
def _empty_publication() -> bytes:
    """The database of a publication whose marts have no rows."""
    with TemporaryDirectory() as home, duckdb.connect() as connection:
        create_marts(connection)
        settings = settings_for(Path(home), "postgresql://unused.invalid")
        return publish(settings, connection, as_of=NOW).path.read_bytes()


def insert_rows(
    connection: duckdb.DuckDBPyConnection, **tables: Iterable[Mapping[str, Any]]
) -> None:
    """Insert rows into marts that there are."""
    for table, rows in tables.items():
        add_rows(connection, table, rows)


def current_transaction(store: OperationalStore) -> int:
    """What the transactions of from now on have at least."""
    xmin = text("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
    with store.engine.connect() as connection:
        return int(connection.scalars(xmin).one())


def decided(tenant: Tenant, earning: Earning, decision: str | None = None) -> UUID:
    """A decision about an accrual, also where nothing is published; the accrual's id."""
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
    }


def recurring(covered: int = 7, paused: int = 0) -> dict[str, Any]:
    """The evidence of $100.00 a week of which so many days were covered."""
    return {
        "type": "recurring",
        "amount_cents": 10_000,
        "proration_mode": "prorate",
        "days": 7,
        "covered_days": covered,
        "paused_days": paused,
        "limited_by": [] if covered == 7 else ["proration"],
    }
