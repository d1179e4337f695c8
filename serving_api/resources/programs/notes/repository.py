"""SQL of notes documents: one statement for all kinds. Every part names the organization."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.errors import LockNotAvailable
from sqlalchemy import (
    CTE,
    ColumnElement,
    Row,
    Select,
    SQLColumnExpression,
    String,
    Uuid,
    cast,
    func,
    literal,
    or_,
    select,
    text,
    union_all,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from serving_api.errors import NotesBusy, NotFound
from serving_api.kit.rows import require_row
from serving_api.resources.programs.notes.documents import DOCUMENTS, Document, is_of, project_of
from warehouse.notes import VERSION_LENGTH
from warehouse.operational.base import Noted
from warehouse.operational.session import WriteSession

NoteRow = Row[*tuple[Any, ...]]

PREVIEW_LENGTH = 200
PATIENCE = "2s"
"""How long a write waits for other writes of the same notes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    organization_id: UUID
    entity_type: str | None
    project_id: UUID | None
    q: str | None


def read(session: Session, document: Document, organization_id: UUID, entity_id: UUID) -> NoteRow:
    """Return readme, project_id and name of one document. Raises NotFound."""
    statement: Select[*tuple[Any, ...]] = select(
        document.model.readme, project_of(document).label("project_id"), document.name.label("name")
    ).where(is_of(document, organization_id, entity_id))
    return require_row(session.execute(statement).one_or_none(), "Document")


def lock(
    session: WriteSession, document: Document, organization_id: UUID, entity_id: UUID
) -> Noted:
    """Return a row locked for writing its notes, reloaded.

    Raises NotesBusy if others lock it for too long, and NotFound if it was deleted meanwhile.
    """
    statement = (
        select(document.model)
        .where(is_of(document, organization_id, entity_id))
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    try:
        usual = session.scalar(text("show lock_timeout"))
        _wait_at_most(session, PATIENCE)
        row: Noted | None = session.scalar(statement)
        _wait_at_most(session, usual)
    except OperationalError as error:
        if isinstance(error.orig, LockNotAvailable):
            raise NotesBusy from None
        raise
    if row is None:
        raise NotFound.named("Document")
    return row


def _wait_at_most(session: WriteSession, how_long: str) -> None:
    """Limit how long statements of this transaction wait for locks."""
    session.execute(
        text("select set_config('lock_timeout', :how_long, true)"), {"how_long": how_long}
    )


def totals(session: Session, filters: Filters) -> Mapping[str, int]:
    """Return the number of matching documents by kind; kinds without any are left out."""
    documents = _documents(filters)
    counted = select(documents.c.entity_type, func.count().label("total")).group_by(
        documents.c.entity_type
    )
    return {row.entity_type: row.total for row in session.execute(counted)}


def page(session: Session, filters: Filters, *, limit: int, offset: int) -> Sequence[NoteRow]:
    """Return up to `limit` documents of each kind, the last written first."""
    documents = _documents(filters)
    position = func.row_number().over(
        partition_by=documents.c.entity_type,
        order_by=(documents.c.written_at.desc(), documents.c.id.desc()),
    )
    placed = select(documents, position.label("position")).cte("placed")
    statement = (
        select(placed)
        .where(placed.c.position > offset, placed.c.position <= offset + limit)
        .order_by(placed.c.position)
    )
    return session.execute(statement).all()


def _version_of(readme: SQLColumnExpression[str | None]) -> ColumnElement[str]:
    """Compute `warehouse.notes.readme_version` in SQL, so that full texts stay in the database."""
    digest = func.sha256(func.convert_to(readme, "UTF8"))
    return func.left(func.encode(digest, "hex"), VERSION_LENGTH)


def _documents(filters: Filters) -> CTE:
    kinds = DOCUMENTS if filters.entity_type is None else [filters.entity_type]
    return union_all(*(_of_kind(name, DOCUMENTS[name], filters) for name in kinds)).cte("documents")


def _of_kind(name: str, document: Document, filters: Filters) -> Select[*tuple[Any, ...]]:
    readme = document.model.readme
    project_id = cast(project_of(document), Uuid)
    statement: Select[*tuple[Any, ...]] = select(
        literal(name).label("entity_type"),
        document.id.label("id"),
        cast(document.name, String).label("name"),
        project_id.label("project_id"),
        func.left(readme, PREVIEW_LENGTH).label("readme_preview"),
        func.length(readme).label("readme_length"),
        _version_of(readme).label("readme_version"),
        func.coalesce(document.model.readme_updated_at, document.created_at).label("written_at"),
    ).where(
        document.organization_id == filters.organization_id, readme.is_not(None), document.is_listed
    )
    if filters.project_id is not None:
        statement = statement.where(project_id == filters.project_id)
    if filters.q is not None:
        pattern = {"other": filters.q, "autoescape": True}
        named = cast(document.name, String)
        statement = statement.where(or_(readme.icontains(**pattern), named.icontains(**pattern)))
    return statement
