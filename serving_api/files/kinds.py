"""The kinds of files that may be uploaded: their types, size and paths, and what is looked at.

Whose a file is stands in its path, which is made here and nowhere else.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from serving_api.errors import ContentTypeMismatch, InvalidBody
from warehouse.ids import uuid7
from warehouse.pictures.images import SUFFIXES, BrokenImageError, Outline, outline_of
from warehouse.storage.storage import Storage

MEBIBYTE = 1 << 20
MAX_SIDE = 4_096
"""Pixels of an icon: a small file can claim so many that whoever shows it runs out of memory."""

_SUFFIXES = {**SUFFIXES, "application/pdf": "pdf"}
_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

Inspection = Callable[[bytes, str, str], None]
"""Takes the bytes, their media type and the name of the field that they came in; refuses them."""


@dataclass(frozen=True, kw_only=True)
class FileKind:
    """A kind of file. `name` is in signed URLs, `max_bytes` the largest size."""

    name: str
    media_types: tuple[str, ...]
    max_bytes: int
    inspect: Inspection = field(repr=False)

    def new_path(self, folder: str, media_type: str) -> str:
        """Return a path that no file has, for one of the type."""
        return f"{folder}/{uuid7()}.{_SUFFIXES[media_type]}"

    def is_path(self, path: str, folder: str) -> bool:
        """Tell whether a path is one that `new_path` can have made for the folder."""
        suffixes = "|".join(_SUFFIXES[each] for each in self.media_types)
        return re.fullmatch(rf"{re.escape(folder)}/{_ID}\.(?:{suffixes})", path) is not None

    def problem_of(self, files: Storage, folder: str, path: str) -> InvalidBody | None:
        """Return why a path cannot be in the field `<name>_path`: no such file was uploaded."""
        if not self.is_path(path, folder):
            article = "an" if self.name[0] in "aeiou" else "a"
            message = f"must be the path of {article} {self.name} inside {folder}/"
            return InvalidBody.at(f"{self.name}_path", message)
        if files.find(path) is None:
            return InvalidBody.at(f"{self.name}_path", "nothing was uploaded there")
        return None


def media_type_of(path: str) -> str:
    """Return the media type of a file, which its path tells."""
    suffix = path.rpartition(".")[2]
    return next(media_type for media_type, known in _SUFFIXES.items() if known == suffix)


def icon_folder(organization_id: UUID, method_id: UUID) -> str:
    """Return where the icons of a payout method lie (contract, Payout methods)."""
    return f"orgs/{organization_id}/{method_id}"


def logo_folder(organization_id: UUID) -> str:
    """Return where the logos of an organization lie."""
    return f"orgs/{organization_id}/logo"


def receipt_folder(organization_id: UUID, payment_id: UUID) -> str:
    """Return where the receipts of a payment lie."""
    return f"orgs/{organization_id}/payments/{payment_id}"


def _inspect_icon(content: bytes, media_type: str, field_name: str) -> None:
    """Refuse what is not one whole image, with nothing after it, of a size to be shown."""
    outline = _outline(content, media_type)
    if outline.end != len(content):
        raise ContentTypeMismatch(media_type)
    if max(outline.width, outline.height) > MAX_SIDE:
        raise InvalidBody.at(
            field_name,
            f"has {outline.width} x {outline.height} pixels, an icon at most {MAX_SIDE} a side",
        )


def _inspect_receipt(content: bytes, media_type: str, _field_name: str) -> None:
    """Refuse what is not whole. Bytes may follow, as phones write them behind their pictures."""
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
    """Return the media type of which bytes are a whole image; None for anything else."""
    for media_type in SUFFIXES:
        with suppress(BrokenImageError):
            outline_of(content, media_type)
            return media_type
    return None


_IMAGES = ("image/png", "image/jpeg")
ICON = FileKind(
    name="icon",
    media_types=(*_IMAGES, "image/webp"),
    max_bytes=MEBIBYTE,
    inspect=_inspect_icon,
)
RECEIPT = FileKind(
    name="receipt",
    media_types=("application/pdf", *_IMAGES),
    max_bytes=10 * MEBIBYTE,
    inspect=_inspect_receipt,
)
KINDS: Mapping[str, FileKind] = {kind.name: kind for kind in (ICON, RECEIPT)}
