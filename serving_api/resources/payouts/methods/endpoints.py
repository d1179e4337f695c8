"""`/payout-methods`."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request

from serving_api.auth.dependencies import Access, AdminWriter, Reader, reads, writes
from serving_api.errors import (
    Conflict,
    ContentTypeMismatch,
    DefaultMethod,
    InsufficientRole,
    NotAnAdmin,
    NotesTooLong,
)
from serving_api.files.signed_urls import Files, UploadUrl
from serving_api.http.bodies import takes_up_to
from serving_api.http.keyed_route import keyed_router
from serving_api.http.short_links import texts_at
from serving_api.idempotency.declaration import idempotent
from serving_api.idempotency.dependency import MaybeIdempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Params
from serving_api.kit.services import services_of
from serving_api.kit.threads import in_wait_threads
from serving_api.openapi import answers
from serving_api.resources.payouts.methods import schemas, service

router = keyed_router("payout methods")

METHOD = "/payout-methods/{payout_method_id}"

_icon_admin = Access("write", org_admin=True, not_admin=NotAnAdmin)

IconAdmin = Annotated[WriteContext, writes(_icon_admin)]
UploadingIconAdmin = Annotated[RequestContext, reads(_icon_admin)]


async def _copied(
    request: Request, idempotent_request: MaybeIdempotent
) -> service.CopiedIcon | None:
    """Copy the icon that the body names, before the request opens a database session."""
    path = next(texts_at(request, "icon_path"), None)
    services, organization_id = services_of(request), request.state.caller.organization_id
    if path is None:
        return None
    if idempotent_request is not None and await in_wait_threads(
        idempotent_request.is_answered, services.store
    ):
        return None
    async with services.shares.outgoing.slot_aside(organization_id):
        return await in_wait_threads(service.copy, services.files, organization_id, path)


Icon = Annotated[service.CopiedIcon | None, Depends(_copied)]


@router.get("/payout-methods", responses=answers(InsufficientRole))
def list_payout_methods(
    *, context: Reader, query: Params[schemas.PayoutMethodQuery]
) -> Page[schemas.PayoutMethod]:
    """List active payout methods. The newest comes first."""
    return service.list_methods(context, query)


@router.post("/payout-methods", status_code=201, responses=answers(NotesTooLong))
@idempotent()
def create_payout_method(
    *, icon: Icon, context: AdminWriter, body: schemas.NewPayoutMethod
) -> Envelope[schemas.PayoutMethod]:
    """Create a payout method."""
    return Envelope(data=service.create(context, body, icon))


@router.get(METHOD)
def get_payout_method(*, context: Reader, payout_method_id: UUID) -> Envelope[schemas.PayoutMethod]:
    """Return one payout method, active or not."""
    return Envelope(data=service.read_method(context, payout_method_id))


@router.patch(METHOD, responses=answers(NotesTooLong))
def change_payout_method(
    *,
    context: AdminWriter,
    files: Files,
    payout_method_id: UUID,
    changes: schemas.PayoutMethodChanges,
) -> Envelope[schemas.PayoutMethod]:
    """Change, disable or enable a payout method.

    `icon_path` sets an uploaded icon; null removes it.
    """
    return Envelope(data=service.change(context, files, payout_method_id, changes))


@router.delete(METHOD, responses=answers(Conflict, DefaultMethod))
def delete_payout_method(
    *, context: AdminWriter, files: Files, payout_method_id: UUID
) -> Envelope[Deleted]:
    """Delete a custom payout method that no payout account or payment uses."""
    return Envelope(data=service.delete(context, files, payout_method_id))


@router.post(METHOD + "/icon", responses=answers(ContentTypeMismatch))
@takes_up_to(schemas.ICON_BODY_BYTES)
def set_payout_method_icon(
    *, context: IconAdmin, files: Files, payout_method_id: UUID, icon: schemas.Icon
) -> Envelope[schemas.PayoutMethod]:
    """Set a payout method's icon from base64 content."""
    return Envelope(data=service.set_icon(context, files, payout_method_id, icon))


@router.post(METHOD + "/icon/upload-url")
def create_icon_upload_url(
    *, context: UploadingIconAdmin, payout_method_id: UUID, upload: schemas.IconUpload
) -> Envelope[UploadUrl]:
    """Return an upload URL for an icon, valid for two hours.

    After the PUT, PATCH its path as `icon_path` within a day.
    """
    media_type = upload.content_type
    made = service.icon_upload_url(context, payout_method_id, media_type)
    return Envelope(data=made)
