"""Kinds of uploads: media types, size limits, paths and inspections; and removing their files.

A file's path contains its owner; only this module builds paths.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from sqlalchemy import event
from sqlalchemy.orm import Session

from serving_api.errors import ContentTypeMismatch, InvalidBody
from warehouse.ids import uuid7
from warehouse.operational.session import WriteSession
from warehouse.pictures.images import SUFFIXES, BrokenImageError, Outline, outline_of
from warehouse.storage import uploads
from warehouse.storage.storage import Storage, StorageError

MEBIBYTE = 1 << 20
MAX_SIDE = 4_096
"""Pixels per side of an icon: a small file may decompress to an image that exhausts memory."""

_SUFFIXES = {**SUFFIXES, "application/pdf": "pdf"}
_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

Inspection = Callable[[bytes, str, str], None]
"""Inspects bytes of a media type; raises an error for the given field."""


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of file. `name` is in signed URLs; `max_bytes` is the size limit."""

    name: str
    media_types: tuple[str, ...]
    max_bytes: int
    inspect: Inspection = field(repr=False)

    def new_path(self, folder: str, media_type: str) -> str:
        return f"{folder}/{uuid7()}.{_SUFFIXES[media_type]}"

    def is_path(self, path: str, folder: str) -> bool:
        """Return whether `new_path` could have made this path for the folder."""
        suffixes = "|".join(_SUFFIXES[each] for each in self.media_types)
        return re.fullmatch(rf"{re.escape(folder)}/{_ID}\.(?:{suffixes})", path) is not None

    def keep(self, files: Storage, folder: str, path: str) -> InvalidBody | None:
        """Keep an upload, which is deleted after a day otherwise.

        Returns the error for the field `<name>_path` if no such file was uploaded.
        """
        if not self.is_path(path, folder):
            article = "an" if self.name[0] in "aeiou" else "a"
            message = f"must be the path of {article} {self.name} inside {folder}/"
            return InvalidBody.at(f"{self.name}_path", message)
        if not uploads.keep(files, path):
            return InvalidBody.at(f"{self.name}_path", "no file was uploaded to this path")
        return None


def media_type_of(path: str) -> str:
    """Return a file's media type from its suffix."""
    suffix = path.rpartition(".")[2]
    return next(media_type for media_type, known in _SUFFIXES.items() if known == suffix)


def icon_folder(organization_id: UUID, method_id: UUID) -> str:
    """Return the folder of a payout method's icons (contract, Payout methods)."""
    return f"orgs/{organization_id}/{method_id}"


def logo_folder(organization_id: UUID) -> str:
    return f"orgs/{organization_id}/logo"


def receipt_folder(organization_id: UUID, payment_id: UUID) -> str:
    return f"orgs/{organization_id}/payments/{payment_id}"


def _inspect_icon(content: bytes, media_type: str, field_name: str) -> None:
    """Raise unless the bytes are exactly one image with sides of at most MAX_SIDE."""
    outline = _outline(content, media_type)
    if outline.end != len(content):
        raise ContentTypeMismatch(media_type)
    if max(outline.width, outline.height) > MAX_SIDE:
        raise InvalidBody.at(
            field_name,
            f"has {outline.width} x {outline.height} pixels, the maximum is {MAX_SIDE} per side",
        )


def _inspect_receipt(content: bytes, media_type: str, _field_name: str) -> None:
    """Raise unless the file is complete. Bytes may follow, since phones append data to pictures."""
    if media_type in _IMAGES:
        _outline(content, media_type)
    elif not content.startswith(b"%PDF-") or b"%%EOF" not in content[-1024:]:
        raise ContentTypeMismatch(media_type)


def _outline(content: bytes, media_type: str) -> Outline:
    try:
        return outline_of(content, media_type)
    except BrokenImageError as broken:
        raise ContentTypeMismatch(media_type) from broken


def image_type_of(content: bytes) -> str | None:
    """Return the media type of a complete image, or None."""
    for media_type in SUFFIXES:
        with suppress(BrokenImageError):
            outline_of(content, media_type)
            return media_type
    return None


_IMAGES = ("image/png", "image/jpeg")
ICON = FileKind(
    name="icon", media_types=(*_IMAGES, "image/webp"), max_bytes=MEBIBYTE, inspect=_inspect_icon
)
RECEIPT = FileKind(
    name="receipt",
    media_types=("application/pdf", *_IMAGES),
    max_bytes=10 * MEBIBYTE,
    inspect=_inspect_receipt,
)
KINDS: Mapping[str, FileKind] = {kind.name: kind for kind in (ICON, RECEIPT)}


_log = structlog.get_logger(__name__)


def remove_once_committed(session: WriteSession, files: Storage, path: str) -> None:
    """Delete a file after the session commits.

    A failed deletion is logged and leaves an unreferenced file.
    """
    left = [path]

    def remove(_session: Session) -> None:
        if session.in_nested_transaction() or not left:  # the end of a savepoint is not a commit
            return
        left.clear()
        try:
            files.delete(path)
        except StorageError as error:
            _log.warning("a file was left", path=path, error=str(error))

    event.listen(session, "after_commit", remove)
