"""`/files`: uploads and downloads. The signed URL authorizes; no key is needed."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel

from serving_api.errors import Conflict, ContentTypeMismatch, PayloadTooLarge
from serving_api.files.kinds import ICON, FileKind, icon_folder, logo_folder, media_type_of
from serving_api.files.signed_urls import DOWNLOADS, PATH, UPLOADS, Files, SignedUrls, Urls
from serving_api.http.bodies import read_at_most
from serving_api.kit.csv import saved_as
from serving_api.kit.envelope import Envelope
from serving_api.kit.rows import require_row
from serving_api.kit.services import services_of
from serving_api.rate_limit.allowances import allowance_by_address, network_behind
from warehouse.storage import uploads as stored_uploads
from warehouse.storage.storage import PathExistsError, Storage


@dataclass(frozen=True, slots=True)
class Upload:
    """Uploaded bytes with the declared media type, and their path."""

    kind: FileKind
    path: str
    media_type: str
    content: bytes


async def _upload(request: Request, token: str) -> Upload:
    """Return the upload, reading the body only after checking URL and headers.

    Raises Forbidden, ContentTypeMismatch, PayloadTooLarge, InvalidBody.
    """
    kind, path = services_of(request)[SignedUrls].uploaded(token)
    media_type = media_type_of(path)
    if _announced_type(request) != media_type:
        raise ContentTypeMismatch(media_type)
    too_large = PayloadTooLarge(f"The {kind.name} is larger than {kind.max_bytes:,} bytes")
    content = await read_at_most(kind.max_bytes, request, too_large)
    return Upload(kind, path, media_type, content)


def _announced_type(request: Request) -> str:
    return request.headers.get("Content-Type", "").partition(";")[0].strip().lower()


async def _slot(request: Request) -> AsyncIterator[None]:
    """Acquire one of the network's slots for the bucket before occupying a thread.

    Raises RateLimitExceeded and Busy.
    """
    async with services_of(request).shares.outgoing.slot_aside(network_behind(request)):
        yield


Uploaded = Annotated[Upload, Depends(_upload)]
HasSlot = Annotated[None, Depends(_slot, scope="function")]
"""Must be the last dependency: slow request bodies must not occupy a slot."""


ICONS_A_MINUTE = 600
"""A page may show many, and many users may share an address."""
HARMLESS = "default-src 'none'; frame-ancestors 'none'; sandbox"
PUBLIC = {
    "Cache-Control": "public, max-age=31536000, immutable",  # a new icon has a new URL
    "Content-Security-Policy": HARMLESS,
    "Cross-Origin-Resource-Policy": "cross-origin",
}
OWN_PAGES = {"Cross-Origin-Resource-Policy": "same-origin"}

router = APIRouter(include_in_schema=False)

uploads = Depends(allowance_by_address("fileUploads"))
downloads = Depends(allowance_by_address("fileDownloads"))
icons = Depends(allowance_by_address("icons", ICONS_A_MINUTE))


class UploadedFile(BaseModel):
    """A stored file; `size` is in bytes."""

    path: str
    content_type: str
    size: int


@router.put(UPLOADS + "/{token}", dependencies=[uploads])
def upload_file(upload: Uploaded, files: Files, _has_slot: HasSlot) -> Envelope[UploadedFile]:
    """Store the file of a signed URL. The same bytes may be sent again; others are refused."""
    upload.kind.inspect(upload.content, upload.media_type, "body")
    try:
        stored_uploads.put(files, upload.path, upload.content)
    except PathExistsError:
        raise Conflict(
            "Another file was uploaded to this URL. Request a new URL", reason="uploaded"
        ) from None
    size = len(upload.content)
    return Envelope(data=UploadedFile(path=upload.path, content_type=upload.media_type, size=size))


@router.get(DOWNLOADS + "/{token}", dependencies=[downloads])
def download_file(token: str, files: Files, urls: Urls, _has_slot: HasSlot) -> Response:
    """Return the file of a signed URL as an attachment."""
    path = urls.downloaded(token)
    content = require_row(files.read(path), "File")
    name = path.rpartition("/")[2]
    headers = {**saved_as(name), "Content-Security-Policy": HARMLESS}
    return Response(content, media_type=media_type_of(path), headers=headers)


@router.get(PATH + "/orgs/{organization_id}/logo/{name}", dependencies=[icons])
def show_logo(organization_id: UUID, name: str, files: Files, _has_slot: HasSlot) -> Response:
    """Return a logo: public like an icon, but embeddable only on this origin."""
    return _send_icon(files, logo_folder(organization_id), name, {**PUBLIC, **OWN_PAGES})


@router.get(PATH + "/orgs/{organization_id}/{method_id}/{name}", dependencies=[icons])
def show_icon(
    organization_id: UUID, method_id: UUID, name: str, files: Files, _has_slot: HasSlot
) -> Response:
    """Return an icon. Icons are public: their URLs are unguessable but not secret."""
    return _send_icon(files, icon_folder(organization_id, method_id), name, PUBLIC)


def _send_icon(files: Storage, folder: str, name: str, headers: Mapping[str, str]) -> Response:
    path = f"{folder}/{name}"
    content = require_row(files.read(path) if ICON.is_path(path, folder) else None, "Icon")
    return Response(content, media_type=media_type_of(path), headers=headers)
