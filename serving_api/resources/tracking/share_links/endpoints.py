"""`/creators/{creator_id}/share-link` and `/share-links/bulk`."""

from typing import Annotated
from uuid import UUID

from fastapi import Body, Query

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.errors import InvalidBody, InvalidParams, InvalidPin, NoSections, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.openapi import answers
from serving_api.resources.tracking.share_links import schemas, service

router = keyed_router("share links")

IncludePin = Annotated[bool, Query(description="Include the PIN. Requires the scope `write`")]


@router.get("/creators/{creator_id}/share-link", responses=answers(InvalidParams, NotFound))
def get_share_link(
    *, context: AdminReader, creator_id: UUID, include_pin: IncludePin = False
) -> Envelope[schemas.AnyShareLink | None]:
    """Return a creator's share link. The answer is null if there is none."""
    link = service.read(context, creator_id, include_pin=include_pin)
    return Envelope(data=link)


@router.post(
    "/creators/{creator_id}/share-link",
    status_code=201,
    responses=answers(InvalidBody, InvalidParams, InvalidPin, NoSections, NotFound),
)
@idempotent(secrets=("pin",))
def put_share_link(
    *,
    context: AdminWriter,
    creator_id: UUID,
    body: Annotated[schemas.NewShareLink | None, Body()] = None,
) -> Envelope[schemas.OpenShareLink]:
    """Create or replace a creator's share link with a new PIN, and enable it.

    Visitors who unlocked the page have to enter the new PIN.
    """
    settings = body or schemas.NewShareLink()
    return Envelope(data=service.put(context, creator_id, settings))


@router.patch(
    "/creators/{creator_id}/share-link",
    responses=answers(InvalidBody, InvalidParams, InvalidPin, NoSections, NotFound),
)
def change_share_link(
    *, context: AdminWriter, creator_id: UUID, changes: schemas.ShareLinkChanges
) -> Envelope[schemas.AnyShareLink]:
    """Change a share link. A new PIN is in the answer, and visitors have to enter it."""
    return Envelope(data=service.change(context, creator_id, changes))


@router.delete("/creators/{creator_id}/share-link", responses=answers(InvalidParams, NotFound))
def delete_share_link(*, context: AdminWriter, creator_id: UUID) -> Envelope[Deleted]:
    """Delete a creator's share link, if there is one."""
    service.delete(context, creator_id)
    return Envelope(data=Deleted())


@router.post("/share-links/bulk", responses=answers(InvalidBody, InvalidPin, NoSections))
@idempotent(secrets=("pin",))
def share_creators(*, context: AdminWriter, body: schemas.BulkShare) -> schemas.SharedMany:
    """Create or replace the share links of up to 200 creators. The answer has their PINs.

    Ids that are not creators of the organization are skipped.
    """
    return service.share_many(context, body)
