"""Names of batch objects in a bucket, which contain the batch's place and form."""

from pathlib import Path
from uuid import UUID

ENDING = ".json"


def manifest_name(prefix: str, name: object, form: object) -> str:
    return f"{prefix}/{name}.{form}{ENDING}"


def form_of(name: str) -> UUID | None:
    """Return the form in a manifest's name, or None for another name."""
    try:
        return UUID(name.removesuffix(ENDING).rpartition(".")[2])
    except ValueError:
        return None


def listed_form(path: Path) -> UUID:
    """Return the form of a listed manifest. Raises ValueError for another name."""
    form = form_of(str(path))
    if form is None:
        raise ValueError(f"not a manifest's name: {path}")
    return form


def batch_of(name: str) -> UUID | None:
    """Return the batch in a manifest's name, or None for another name."""
    try:
        return UUID(name.rpartition("/")[2].removesuffix(ENDING).partition(".")[0])
    except ValueError:
        return None


def data_folder(form: UUID) -> str:
    return f"data/{form}"


def data_object(form: UUID, table: str) -> str:
    return f"{data_folder(form)}/{table}.parquet"
