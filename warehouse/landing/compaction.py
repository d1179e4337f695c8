"""Compacts the small batches of a past day into one Parquet file per table.

Nothing is lost or counted twice at any time: the compacted folder appears at once before single
batches are removed, and while both exist the single ones are skipped (`archive.segments`).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

import polars as pl
import structlog

from warehouse.landing import folders
from warehouse.landing.archive import (
    Segment,
    compacted_segments,
    days_before,
    single_segments,
    write_records,
)
from warehouse.landing.batches import DamagedBatchError
from warehouse.landing.schema import REGISTERED

LEFT = (
    DamagedBatchError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    FileExistsError,  # a stopped process compacts the day
)

log = structlog.get_logger(__name__)


def compact(landing: Path, today: date) -> list[Path]:
    """Compact the archived batches of all days before `today` (UTC). Returns the new folders.

    The caller holds the warehouse lock, so no other process changes the archive.
    """
    made: list[Path] = []
    for day in days_before(landing, today):
        with unless_damaged(day.name):
            made += _compact(landing, day)
    return made


@contextmanager
def unless_damaged(day: str) -> Iterator[None]:
    """Log an error of a day, which stays as it is: a run does without the archive."""
    try:
        yield
    except LEFT as error:
        log.warning("a day of the archive is not compacted", day=day, error=str(error))


def _compact(landing: Path, day: Path) -> list[Path]:
    batch_ids = {
        batch.batch_id
        for segment in compacted_segments(landing, day.name)
        for batch in segment.batches
    }
    singles = single_segments(day)
    fresh = [segment for segment in singles if segment.batches[0].batch_id not in batch_ids]
    made = [_compact_day(landing, day.name, fresh)] if fresh else []
    for segment in singles:
        folders.remove(segment.path)
    folders.discard_abandoned(day)  # after an interrupted removal
    with suppress(OSError):  # a file manager left a file there
        day.rmdir()
    return made


def _compact_day(landing: Path, day: str, singles: list[Segment]) -> Path:
    batches = [segment.batches[0] for segment in singles]
    name = f"{day}_{batches[0].batch_seq:012}-{batches[-1].batch_seq:012}"
    target = landing / "archive" / "days" / name
    with folders.new_folder(target) as folder:
        merge(singles, folder)
        write_records(folder, batches)
    return target


def merge(singles: list[Segment], folder: Path) -> None:
    """Write one file per table into a folder, from batches in the order of batch_seq."""
    for table in REGISTERED:
        _concatenate(table, singles, folder)


def _concatenate(table: str, singles: list[Segment], folder: Path) -> None:
    """Concatenate the rows of all batches, each with its batch_seq.

    Columns are matched by name; one that a batch lacks is null.
    """
    frames = [
        pl.scan_parquet(file).with_columns(batch_seq=pl.lit(segment.batches[0].batch_seq, pl.Int64))
        for segment in singles
        if (file := segment.file(table))
    ]
    if frames:
        pl.concat(frames, how="diagonal").sink_parquet(folder / f"{table}.parquet")
