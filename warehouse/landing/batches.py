"""Batches in the landing zone: listing, reading and rejecting them.

A batch folder is named by its id, a UUIDv7, so ids sort by time of landing. A registered one has
its form in addition, `<id>.<form>`, unless an older version wrote it or it was put back by hand.
Other names (temporary folders, strays) are no batches.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import polars as pl

from warehouse.ids import UUID_TEXT
from warehouse.landing import folders
from warehouse.landing.schema import CAME_LATER, LANDED, REQUIRED
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT

Schemas = Mapping[str, pl.Schema]
EMPTY = {name: pl.DataFrame(schema=schema) for name, schema in LANDED.items()}
"""What a batch has of a table without a file."""


class DamagedBatchError(Exception):
    """A batch is unusable. The message names the file and what is wrong."""


class NewerBatchError(Exception):
    """A batch has a file or column of a newer version.

    Leave it in place for the upgraded program. The message names the file or column.
    """


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """A complete batch in the landing zone.

    `path` is its folder, or the name of its manifest in a bucket (`Landing.at_hand` fetches its
    files). A batch may have been written several times, each with its own `form`. `moved_at` is
    when it came to its place (Unix time), if it was listed.
    """

    batch_id: UUID
    path: Path
    form: UUID | None = None
    moved_at: float | None = field(default=None, compare=False)

    def file(self, name: str) -> Path | None:
        """Return the Parquet file of a table, or None without such rows."""
        path = self.path / f"{name}.parquet"
        return path if path.exists() else None


def incoming(landing: Path) -> list[Batch]:
    """Return the landed batches that wait for registration, oldest first."""
    return listed(landing / "incoming")


def registered(landing: Path) -> list[Batch]:
    """Return the batches written by registration (committed or not), oldest first."""
    return listed(landing / "registered")


def listed(folder: Path) -> list[Batch]:
    """Return the batches in a folder by id. Removes folders of dead writers."""
    if not folder.exists():
        return []
    folders.discard_abandoned(folder)
    return sorted(batch for path in folder.iterdir() if path.is_dir() and (batch := _batch(path)))


def reject(landing: Path, batch: Batch, reason: str) -> Path:
    """Move a batch to `landing/rejected`, with a file of the reason and the command back."""
    target = landing / "rejected" / str(batch.batch_id)
    while target.exists():
        target = target.with_name(target.name + "-again")
    back = shlex.join(["mv", str(target), str(batch.path)])
    folders.write_file(batch.path / "reason.txt", f"{reason}\n\n{back}\n")
    folders.move(batch.path, target)
    return target


def rejected_ids(landing: Path) -> set[UUID]:
    names = [path.name.split("-again")[0] for path in (landing / "rejected").glob("*")]
    return {batch_id for name in names if (batch_id := _id(name)) is not None}


def check_files(batch: Batch, schemas: Schemas) -> set[str]:
    """Return the tables that a batch has files of.

    Raises DamagedBatchError if a file is truncated or lacks columns of these tables,
    NewerBatchError for unknown files or columns, FileNotFoundError if another process has moved the
    batch.
    """
    names = {path.stem for path in batch.path.iterdir() if path.suffix == ".parquet"}
    if strays := names - set(schemas):
        raise NewerBatchError(f"unknown file {', '.join(sorted(strays))}.parquet")
    for name in sorted(names):
        _check_columns(batch.path / f"{name}.parquet", schemas[name])
    return names


def read_landed(batch: Batch) -> dict[str, pl.DataFrame]:
    """Return the frames of a landed batch, empty ones for missing files.

    Raises DamagedBatchError for truncated files, missing columns, other types and impossible
    values; NewerBatchError for unknown files and columns; FileNotFoundError if another process has
    moved the batch.
    """
    names = check_files(batch, LANDED)
    if not names:
        raise DamagedBatchError("it has no Parquet file")
    frames = {name: _read(batch, name) if name in names else EMPTY[name] for name in LANDED}
    for name, frame in frames.items():
        if frame.height:
            _check_values(name, frame)
    return frames


def _batch(path: Path) -> Batch | None:
    name, has_form, form = path.name.partition(".")
    batch_id = _id(name)
    if batch_id is None or (has_form and _id(form) is None):
        return None
    try:
        return Batch(batch_id, path, _id(form), path.stat().st_ctime)
    except FileNotFoundError:  # another process moved it
        return None


def _id(name: str) -> UUID | None:
    try:
        named = UUID(name)
    except ValueError:
        return None
    return named if str(named) == name else None


def _check_columns(path: Path, expected: pl.Schema) -> None:
    try:
        parquet_schema = pl.read_parquet_schema(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DamagedBatchError(f"{path.name} is not a complete Parquet file: {error}") from error
    if unknown := set(parquet_schema) - set(expected):
        raise NewerBatchError(f"{path.name}: unknown column {', '.join(sorted(unknown))}")
    for column, dtype in expected.items():
        is_of_before = column not in parquet_schema and (path.stem, column) in CAME_LATER
        if parquet_schema.get(column) != dtype and not is_of_before:
            raise DamagedBatchError(
                f"{path.name}: {column} is {parquet_schema.get(column)}, not {dtype}"
            )


def _read(batch: Batch, name: str) -> pl.DataFrame:
    path = batch.path / f"{name}.parquet"
    try:
        return pl.concat([EMPTY[name], pl.read_parquet(path)], how="diagonal")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise DamagedBatchError(f"{path.name} cannot be read: {error}") from error


def _check_values(name: str, frame: pl.DataFrame) -> None:
    for column in REQUIRED[name]:
        if frame[column].null_count():
            raise DamagedBatchError(f"{name}: {column} is missing in a row")
    for column in frame.columns:
        if column.endswith("_count") and (frame[column] < 0).any():
            raise DamagedBatchError(f"{name}: {column} is negative in a row")
        if column in REQUIRED[name] and column.endswith("_at"):
            _check_instants(name, frame[column])
    if "job_id" in frame.columns:
        _check_ids(name, frame["job_id"].drop_nulls())
    if "video_ids" in frame.columns:
        _check_ids(name, frame["video_ids"].explode(empty_as_null=False))


def _check_ids(name: str, ids: pl.Series) -> None:
    if ids.null_count() or not ids.str.contains(UUID_TEXT).all():
        raise DamagedBatchError(f"{name}: {ids.name} is not a UUID in a row")


def _check_instants(name: str, instants: pl.Series) -> None:
    if not instants.is_between(FIRST_INSTANT, LAST_INSTANT, closed="left").all():
        raise DamagedBatchError(f"{name}: {instants.name} is not between 2000 and 2100 in a row")
