"""What the bucket holds of a publication: an object for each file's content, and its manifest.

An object's name is the SHA-256 of what is in it: a month that two publications have is there once,
and is sent once. The database, another one each time, is packed (`packing`). The manifest comes
after all objects that it names.
"""

from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from warehouse.storage.bucket import BucketStorage

FOLDER = "publications"
OBJECTS = f"{FOLDER}/objects"


class SharedFile(BaseModel):
    """What an object holds: its SHA-256, as hexadecimal digits, and its bytes.

    It is a file of the publication as it lies there, or packed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    size: int
    packed: bool = False

    @property
    def object(self) -> str:
        """The name of the object with its content."""
        return f"{OBJECTS}/{self.sha256}"


class Manifest(BaseModel):
    """A publication, its place in the order of all (pointer.py), and its files by their paths.

    Paths are relative to the publication's folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)

    publication_id: UUID
    position: int = Field(validation_alias="place", serialization_alias="place")
    files: dict[str, SharedFile]

    @classmethod
    def parse(cls, content: bytes | str) -> Self:
        """Return what `content` says."""
        return cls.model_validate_json(content)

    @property
    def content(self) -> bytes:
        """What is kept: the same bytes for the same manifest."""
        return self.model_dump_json(by_alias=True).encode()

    @property
    def name(self) -> str:
        """The name of its own object."""
        return manifest_name(self.publication_id)

    @property
    def objects(self) -> set[str]:
        """The names of its files' objects."""
        return {file.object for file in self.files.values()}


def manifest_name(publication_id: UUID) -> str:
    """Return the name of a publication's manifest."""
    return f"{FOLDER}/manifests/{publication_id}.json"


def read(bucket: BucketStorage, publication_id: UUID) -> Manifest | None:
    """Return a publication's manifest, None where the bucket has none."""
    content = bucket.read(manifest_name(publication_id))
    return Manifest.parse(content) if content is not None else None
