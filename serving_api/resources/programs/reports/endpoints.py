"""`/projects/{project_id}/reports` and `/reports`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import Conflict, InvalidBody, InvalidCursor, InvalidPin, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.programs.reports import schemas, service

router = keyed_router("share links")

REPORTS = "/projects/{project_id}/reports"


@router.get(REPORTS, responses=answers(InvalidCursor, NotFound))
def list_reports(
    *, context: AdminReader, project_id: UUID, query: Annotated[PageQuery, Query()]
) -> Page[schemas.Report]:
    """List the reports of a project and its campaigns. The newest comes first."""
    return service.list_reports(context, project_id, query)


@router.post(
    REPORTS, status_code=201, responses=answers(Conflict, InvalidBody, InvalidPin, NotFound)
)
@idempotent(secrets=("pin",))
def share_report(
    *, context: AdminWriter, project_id: UUID, body: schemas.NewReport
) -> Envelope[schemas.OpenReport]:
    """Create a report of a project or campaign: a link that opens with a PIN.

    The PIN is shown only once.

    The report shows what its author sees, as long as the author is a member of the organization.
    """
    return Envelope(data=service.create(context, project_id, body))


@router.delete("/reports/{report_id}", responses=answers(NotFound))
def revoke_report(*, context: AdminWriter, report_id: UUID) -> Envelope[Deleted]:
    """Close a report permanently."""
    service.revoke(context, report_id)
    return Envelope(data=Deleted())
