"""Read, void and delete conversions; `recording` validates those to write.

One statement writes a whole batch. Conversions are facts, so the change log has no line for each.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import Select, String, bindparam, cast, column, func, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import require_order
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import Keyset, among, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import columns_of, lock_own, matching, require_row, rows_of
from serving_api.resources.organization import projects
from serving_api.resources.programs.conversions import schemas
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
    statement = matching(Conversion, project.organization_id, query, *_FILTERS).where(
        Conversion.project_id == project.id
    )
    if query.status != "all":
        is_voided = query.status == "voided"
        statement = statement.where(Conversion.voided_at.is_not(None) == is_voided)
    if query.since is not None:
        statement = statement.where(Conversion.occurred_at >= query.since)
    if query.until is not None:
        statement = statement.where(Conversion.occurred_at <= query.until)
    if query.updated_since is not None:
        updated_at = func.coalesce(Conversion.voided_at, Conversion.created_at)
        statement = statement.where(updated_at >= query.updated_since)
    return statement


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


_MANY = TypeAdapter(list[schemas.Conversion])


def present(
    session: Session, project: Project, rows: Sequence[Conversion]
) -> list[schemas.Conversion]:
    events = events_of(session, project, rows)
    # One call, because there may be hundreds.
    return _MANY.validate_python([_present(row, events[row.conversion_event_id]) for row in rows])


def _present(row: Conversion, event: ConversionEvent) -> dict[str, object]:
    return columns_of(
        schemas.Conversion,
        row,
        conversion_event_key=event.key,
        conversion_event_name=event.name,
        currency=event.currency,
        status="recorded" if row.voided_at is None else "voided",
    )


def list_conversions(
    context: RequestContext, project_id: UUID, query: schemas.ConversionQuery
) -> Page[schemas.Conversion]:
    """Return a page of the project's conversions, the latest to occur first.

    Raises NotFound, and InvalidQuery for a range that ends before it begins.
    """
    project = projects.require(context.session, context.organization_id, project_id)
    require_order(query.since, query.until, InvalidQuery)
    statement = filtered(project, query)
    page_slice = read_slice(context.session, statement, LATEST_FIRST.of(project_id), query)
    return page_slice.page(lambda rows: present(context.session, project, rows))


def read_conversion(
    context: RequestContext, project_id: UUID, conversion_id: UUID
) -> schemas.Conversion:
    """Return one conversion, voided or not. Raises NotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    own = of_project(project).where(Conversion.id == conversion_id)
    conversion = require_row(context.session.scalar(own), "Conversion")
    return present(context.session, project, [conversion])[0]


def void(
    context: WriteContext, project_id: UUID, conversion_id: UUID, voiding: schemas.Voiding
) -> schemas.Conversion:
    """Remove a conversion from all totals; no change if it is voided already. Raises NotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    conversion = _locked(context, project, conversion_id)
    if conversion.voided_at is None:
        conversion.voided_at = context.now
        conversion.voided_reason = voiding.reason
        context.session.flush()
    return present(context.session, project, [conversion])[0]


def delete(
    context: WriteContext, project_id: UUID, conversion_id: UUID
) -> schemas.DeletedConversion:
    """Delete a conversion permanently, which frees its external_id.

    Raises InsufficientScope, InsufficientRole and NotFound.
    """
    context.caller.require_scope("admin")
    project = projects.require(context.session, context.organization_id, project_id)
    context.session.delete(_locked(context, project, conversion_id))
    context.session.flush()
    return schemas.DeletedConversion(id=conversion_id)


def _locked(context: WriteContext, project: Project, conversion_id: UUID) -> Conversion:
    own = Conversion.project_id == project.id
    return lock_own(context, Conversion, conversion_id, "Conversion", own, key_share=False)
