"""How a bucket's objects of batches are named: a name says where a batch is, and in which form."""

from pathlib import Path
from uuid import UUID

ENDING = ".json"


def manifest_name(prefix: str, name: object, form: object) -> str:
    """Return the name of the manifest of `name` at a place."""
    return f"{prefix}/{name}.{form}{ENDING}"


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
