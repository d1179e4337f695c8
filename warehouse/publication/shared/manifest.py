"""A publication in the bucket: an object for each file's content, and a manifest.

An object is named by its SHA-256, so a file shared by publications is stored and sent once. The
database, which differs each time, is compressed by zstd: a third of its padded blocks stays. Other
files are sent as they are. The manifest is written after all objects that it names. Fields that
later versions add are ignored.
"""

import shutil
from pathlib import Path
from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from warehouse.publication.errors import DamagedPublicationError
from warehouse.publication.layout import DATABASE
from warehouse.storage.bucket import BucketStorage

FOLDER = "publications"
OBJECTS = f"{FOLDER}/objects"
CHUNK = 1 << 20
"""Bytes in memory at a time."""


class SharedFile(BaseModel):
    """SHA-256 (hexadecimal) and bytes of an object, a publication's file as it is or compressed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sha256: str
    size: int
    packed: bool = False

    @property
    def object(self) -> str:
        return f"{OBJECTS}/{self.sha256}"


class Manifest(BaseModel):
    """A publication, its position among all (pointer.py), and its files by relative path."""

    model_config = ConfigDict(frozen=True, extra="ignore", validate_by_name=True)

    publication_id: UUID
    position: int = Field(validation_alias="place", serialization_alias="place")
    files: dict[str, SharedFile]

    @classmethod
    def parse(cls, content: bytes | str) -> Self:
        """Return the stored manifest. Raises DamagedPublicationError."""
        try:
            manifest = cls.model_validate_json(content)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise DamagedPublicationError(
                f"its manifest cannot be read: {field or 'JSON'}: {first['msg']}"
            ) from error
        if DATABASE not in manifest.files:
            raise DamagedPublicationError(f"its manifest lacks {DATABASE}")
        return manifest

    @property
    def content(self) -> bytes:
        """The stored bytes, the same for equal manifests."""
        return self.model_dump_json(by_alias=True).encode()

    @property
    def name(self) -> str:
        return manifest_name(self.publication_id)

    @property
    def objects(self) -> set[str]:
        return {file.object for file in self.files.values()}


def manifest_name(publication_id: UUID) -> str:
    return f"{FOLDER}/manifests/{publication_id}.json"


def read(bucket: BucketStorage, publication_id: UUID) -> Manifest | None:
    """Return a publication's manifest, or None if the bucket has none.

    Raises DamagedPublicationError.
    """
    content = bucket.read(manifest_name(publication_id))
    return Manifest.parse(content) if content is not None else None


def pack(file: Path, target: Path) -> None:
    """Compress a file. The same file gives the same bytes."""
    import pyarrow as pa  # noqa: PLC0415  `serve` needs it where it takes what was packed alone

    with file.open("rb") as plain, pa.CompressedOutputStream(str(target), "zstd") as packed:
        shutil.copyfileobj(plain, packed, CHUNK)


def unpack(packed: Path, target: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415  likewise

    with pa.CompressedInputStream(str(packed), "zstd") as opened, target.open("wb") as plain:
        shutil.copyfileobj(opened, plain, CHUNK)
