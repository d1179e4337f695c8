"""Reading an upload: who sends it has a signed URL, and sends no more than its kind takes."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from serving_api.errors import ContentTypeMismatch, PayloadTooLarge
from serving_api.files.dependency import signed_urls
from serving_api.files.kinds import FileKind, media_type_of
from serving_api.http.bodies import read_at_most


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that are what their type says, and the path that they may be kept under."""

    kind: FileKind
    path: str
    media_type: str
    content: bytes


async def _upload(request: Request, token: str) -> Upload:
    """Return what is uploaded. The body is read when all that comes before it is as signed.

    Raises Forbidden, ContentTypeMismatch, PayloadTooLarge, InvalidBody.
    """
    kind, path = (await signed_urls(request)).uploaded(token)
    media_type = media_type_of(path)
    if _announced_type(request) != media_type:
        raise ContentTypeMismatch(media_type)
    too_large = PayloadTooLarge(f"The {kind.name} has more than {kind.max_bytes:,} bytes")
    content = await read_at_most(kind.max_bytes, request, too_large)
    return Upload(kind, path, media_type, content)


def _announced_type(request: Request) -> str:
    return request.headers.get("Content-Type", "").partition(";")[0].strip().lower()


Uploaded = Annotated[Upload, Depends(_upload)]
