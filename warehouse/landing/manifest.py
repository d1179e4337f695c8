"""A batch in a bucket: Parquet objects, and a manifest that names them.

Objects are at `data/<form>/<table>.parquet` and never move or change: each attempt at writing a
batch has its own form (an id). The manifest's name says where the batch is:
`<place>/<name>.<form>.json`.
"""

from typing import Self

from pydantic import BaseModel, ConfigDict

from warehouse.landing.archive import IngestedBatch


class Manifest(BaseModel):
    """Bytes of each table's object; the batches in the archive; the reason of a rejection."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    objects: dict[str, int]
    batches: tuple[IngestedBatch, ...] = ()
    reason: str | None = None

    @classmethod
    def read(cls, content: bytes) -> Self:
        return cls.model_validate_json(content)

    @property
    def content(self) -> bytes:
        """The stored bytes, the same for equal manifests."""
        return self.model_dump_json(exclude_defaults=True).encode()
