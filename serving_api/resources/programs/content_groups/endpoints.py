"""`/content-groups`."""

from uuid import UUID

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.content_groups import schemas, service

router = keyed_router("content groups")


@router.get("/content-groups")
def list_content_groups(
    *, context: Reader, query: Params[schemas.ContentGroupQuery]
) -> Page[schemas.ContentGroup]:
    """List content groups. The newest comes first."""
    return service.list_groups(context, query)


@router.post("/content-groups", status_code=201, responses=answers(NotFound))
@idempotent()
def create_content_group(
    *, context: Writer, body: schemas.NewContentGroup
) -> Envelope[schemas.ContentGroup]:
    """Link videos of a project. Videos that are in another group are skipped."""
    return Envelope(data=service.create(context, body))


@router.get("/content-groups/{content_group_id}")
def get_content_group(*, context: Reader, content_group_id: UUID) -> Envelope[schemas.ContentGroup]:
    """Return one content group."""
    return Envelope(data=service.read_group(context, content_group_id))


@router.patch("/content-groups/{content_group_id}")
def change_content_group(
    *, context: Writer, content_group_id: UUID, changes: schemas.ContentGroupChanges
) -> Envelope[schemas.ContentGroup]:
    """Change a content group's title, notes or videos."""
    return Envelope(data=service.change(context, content_group_id, changes))


@router.delete("/content-groups/{content_group_id}")
def delete_content_group(*, context: Writer, content_group_id: UUID) -> Envelope[Deleted]:
    """Delete a content group. Its videos are unlinked and stay."""
    service.delete(context, content_group_id)
    return Envelope(data=Deleted())


@router.get("/content-groups/{content_group_id}/stats")
def get_content_group_stats(
    *, context: Reader, content_group_id: UUID
) -> Envelope[schemas.ContentGroupStats]:
    """Return the counts of a group's videos, in total and by platform."""
    return Envelope(data=service.read_stats(context, content_group_id))
