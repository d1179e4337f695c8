"""`/projects/{project_id}/imports`: files that `tracker import` loaded, and their retraction."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.rows import from_row, lock_own, require_own, require_row, rows_of
from serving_api.kit.schemas import Body, Params, Remark
from serving_api.openapi import answers
from warehouse.imports.recording import NotRetractableError, retract
from warehouse.operational import models

NEWEST_FIRST = Keyset(models.Import.imported_at, models.Import.id, "imports")


class Import(BaseModel):
    """A file of history that was loaded into a project."""

    id: UUID
    project_id: UUID
    kind: Literal["videos", "video-snapshots", "account-snapshots"]
    file: str | None = Field(description="Name of the file. Null for imports before 2026-11-28")
    row_count: int = Field(description="Rows that were loaded")
    imported_by: str | None = Field(description="System account that ran the command")
    imported_at: datetime
    retracted_at: datetime | None
    retracted_by: UUID | None = Field(description="Null if the command retracted it")
    retraction_reason: str | None


class Retraction(Body):
    """The retraction of an import."""

    reason: Remark = Field(description="Why its readings must not count")


router = keyed_router("imports")

IMPORTS = "/projects/{project_id}/imports"


@router.get(IMPORTS)
def list_imports(
    *, context: AdminReader, project_id: UUID, query: Params[PageQuery]
) -> Page[Import]:
    """List the files loaded into a project, also retracted ones. The newest comes first."""
    require_own(context, models.Project, project_id, "Project")
    statement = rows_of(models.Import, context.organization_id).where(
        models.Import.project_id == project_id
    )
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(project_id), query)
    return page_slice.page(lambda rows: [from_row(Import, row) for row in rows])


@router.post(IMPORTS + "/{import_id}/retract", responses=answers(Conflict))
@idempotent()
def retract_import(
    *, context: AdminWriter, project_id: UUID, import_id: UUID, body: Retraction
) -> Envelope[Import]:
    """Retract an import of readings. They stay stored and stop counting with the next publication.

    Adjustments correct amounts that were paid. This is final: load the right file afterwards.
    """
    loaded = lock_own(context, models.Import, import_id, "Import")
    require_row(loaded if loaded.project_id == project_id else None, "Import")
    try:
        retract(context.session, loaded, body.reason, by=context.caller.user_id)
    except NotRetractableError as refused:
        raise Conflict(f"The import cannot be retracted: {refused}") from refused
    return Envelope(data=from_row(Import, loaded))
