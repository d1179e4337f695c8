"""SQL of conversions. Every statement names the organization and the project.

One statement writes a whole batch. Conversions are facts, so the change log has no line for each.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import Select, String, bindparam, cast, column, func, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Session

from serving_api.kit.filters import among
from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.conversions.schemas import ConversionQuery
from warehouse.operational.models import Conversion, ConversionEvent, Project
from warehouse.operational.session import WriteSession

LATEST_FIRST = Keyset(Conversion.occurred_at, Conversion.id, "conversions")

Row = Mapping[str, object]

_FILTERS = ("conversion_event_id", "creator_id", "account_id", "video_id", "source")
_TABLE = Conversion.metadata.tables[Conversion.__tablename__]
_OF_EACH = (
    "id",
    "conversion_event_id",
    "target_type",
    "creator_id",
    "account_id",
    "video_id",
    "value_cents",
    "quantity",
    "external_id",
    "source",
    "label",
    "note",
    "metadata",
    "occurred_at",
)
_OF_ALL = ("organization_id", "project_id", "created_at")
_ROWS = (
    func.jsonb_to_recordset(cast(bindparam("rows", type_=String), JSONB))
    .table_valued(*(column(name, _TABLE.c[name].type) for name in _OF_EACH))
    .render_derived(name="rows", with_types=True)
)
# Sorted, so that two batches with the same external ids cannot deadlock.
_RECORD = select(Conversion).from_statement(
    insert(_TABLE)
    .from_select(
        [*_OF_ALL, *_OF_EACH],
        select(
            *(bindparam(name, type_=_TABLE.c[name].type) for name in _OF_ALL), *_ROWS.c
        ).order_by(_ROWS.c.external_id),
    )
    .on_conflict_do_nothing(
        index_elements=[_TABLE.c.project_id, _TABLE.c.external_id],
        index_where=_TABLE.c.external_id.is_not(None),
    )
    .returning(*_TABLE.c)
)


def of_project(project: Project) -> Select[Conversion]:
    """Select all conversions of a project, including voided ones."""
    return rows_of(Conversion, project.organization_id).where(Conversion.project_id == project.id)


def filtered(project: Project, query: ConversionQuery) -> Select[Conversion]:
    statement = of_project(project)
    for name in _FILTERS:
        if (value := getattr(query, name)) is not None:
            statement = statement.where(getattr(Conversion, name) == value)
    if query.status != "all":
        is_voided = query.status == "voided"
        statement = statement.where(Conversion.voided_at.is_not(None) == is_voided)
    if query.since is not None:
        statement = statement.where(Conversion.occurred_at >= query.since)
    if query.until is not None:
        statement = statement.where(Conversion.occurred_at <= query.until)
    return statement


def find(session: Session, project: Project, conversion_id: UUID) -> Conversion | None:
    return session.scalar(of_project(project).where(Conversion.id == conversion_id))


def lock(session: WriteSession, project: Project, conversion_id: UUID) -> Conversion | None:
    """Return the conversion locked for update, or None if the project does not have it."""
    statement = of_project(project).where(Conversion.id == conversion_id)
    return session.scalar(statement.with_for_update())


def by_external_id(
    session: Session, project: Project, external_ids: Collection[str]
) -> Mapping[str, Conversion]:
    if not external_ids:
        return {}
    of_ids = of_project(project).where(among(Conversion.external_id, external_ids))
    return {str(row.external_id): row for row in session.scalars(of_ids)}


def events_of(
    session: Session, project: Project, rows: Collection[Conversion]
) -> Mapping[UUID, ConversionEvent]:
    conversion_event_ids = {row.conversion_event_id for row in rows}
    if not conversion_event_ids:
        return {}
    events = rows_of(ConversionEvent, project.organization_id).where(
        ConversionEvent.id.in_(conversion_event_ids)
    )
    return {event.id: event for event in session.scalars(events)}


def record(
    session: WriteSession, project: Project, rows: Sequence[Row], at: datetime
) -> Sequence[Conversion]:
    """Write conversions; return those written, without those whose external_id exists.

    A row has the columns of `_OF_EACH`.
    """
    values = {
        "organization_id": project.organization_id,
        "project_id": project.id,
        "created_at": at,
        "rows": json.dumps(rows, default=str),
    }
    return session.scalars(_RECORD, values).all()


def delete(session: WriteSession, conversion: Conversion) -> None:
    session.delete(conversion)
    session.flush()
