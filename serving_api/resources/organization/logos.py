"""Logo of an organization, shown on its reports and share pages."""

from uuid import UUID

from serving_api.errors import ContentTypeMismatch, InvalidBody
from serving_api.files.kinds import (
    ICON,
    MEBIBYTE,
    image_type_of,
    logo_folder,
    remove_once_committed,
)
from serving_api.files.signed_urls import PATH
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization import organizations
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.storage.storage import Storage

FIELD = "logo"
_NO_IMAGE = "Choose a PNG, JPEG or WebP image"


def address_of(path: str | None) -> str | None:
    """Return a logo's URL path, or None."""
    return path and f"{PATH}/{path}"


def replace(
    context: RequestContext, files: Storage, content: bytes | None, audit_event: AuditEvent
) -> None:
    """Replace or remove the organization's logo. Raises InvalidBody.

    Uses its own session, because the storage is called before the transaction begins.
    """
    path = None if content is None else _store(files, context.organization_id, content)
    with context.services.store.write_session() as session, recorded(session, lambda: audit_event):
        organization = organizations.lock(session, context.organization_id)
        if organization.logo_path is not None:
            remove_once_committed(session, files, organization.logo_path)
        organization.logo_path = path


def _store(files: Storage, organization_id: UUID, content: bytes) -> str:
    path = ICON.new_path(logo_folder(organization_id), _image_type_of(content))
    files.put(path, content)
    return path


def _image_type_of(content: bytes) -> str:
    """Return the media type of a logo.

    Raises InvalidBody unless it is a valid image within the limit.
    """
    if len(content) > ICON.max_bytes:
        raise InvalidBody.at(FIELD, f"Choose an image of at most {ICON.max_bytes // MEBIBYTE} MB")
    media_type = image_type_of(content)
    if media_type is None:
        raise InvalidBody.at(FIELD, _NO_IMAGE)
    try:
        ICON.inspect(content, media_type, FIELD)
    except ContentTypeMismatch as mismatch:
        raise InvalidBody.at(FIELD, _NO_IMAGE) from mismatch
    return media_type
