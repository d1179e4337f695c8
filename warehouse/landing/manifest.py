"""What a bucket holds of a batch: objects of Parquet, and a manifest that names them.

Objects lie at `data/<form>/<table>.parquet` and never move or change: each attempt at writing a
batch has a form (an id) of its own. A manifest's own name says where the batch is:
`<place>/<name>.<form>.json`.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict

from warehouse.landing.archive import IngestedBatch


class Manifest(BaseModel):
    """The bytes of each table's object; in the archive its batches, set aside the reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    objects: dict[str, int]
    batches: tuple[IngestedBatch, ...] = ()
    reason: str | None = None

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Return what `content` says."""
        return cls.model_validate_json(content)

    @property
    def content(self) -> bytes:
        """What is kept: the same bytes for the same manifest."""
        return self.model_dump_json(exclude_defaults=True).encode()
