"""What a bucket holds of a batch: objects of Parquet, and a manifest that names them.

Objects lie at `data/<form>/<table>.parquet` and never move or change: each attempt at writing a
batch has a form (an id) of its own. A manifest's own name says where the batch is:
`<place>/<name>.<form>.json`.
"""

from pathlib import Path
from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from warehouse.landing.archive import IngestedBatch

ENDING = ".json"


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


def manifest_name(place: str, name: object, form: object) -> str:
    """Return the name of the manifest of `name` at a place."""
    return f"{place}/{name}.{form}{ENDING}"


def form_of(name: str) -> UUID | None:
    """Return the form that a manifest's name tells; None for what is no manifest's."""
    try:
        return UUID(name.removesuffix(ENDING).rpartition(".")[2])
    except ValueError:
        return None


def listed_form(path: Path) -> UUID:
    """Return the form that the manifest at `path` names, which was listed by it."""
    form = form_of(str(path))
    if form is None:
        raise ValueError(f"not a manifest's name: {path}")
    return form


def batch_of(name: str) -> UUID | None:
    """Return the batch of which a manifest is; None for what is no manifest's name."""
    try:
        return UUID(name.rpartition("/")[2].removesuffix(ENDING).partition(".")[0])
    except ValueError:
        return None


def data_folder(form: UUID) -> str:
    """Return below what the objects of a form lie."""
    return f"data/{form}"


def data_object(form: UUID, table: str) -> str:
    """Return the name of a table's object."""
    return f"{data_folder(form)}/{table}.parquet"
