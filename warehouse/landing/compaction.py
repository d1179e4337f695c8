"""Many small batches of a past day become one Parquet file a table.

Nothing is lost or doubled at any instant: the compacted folder appears whole before the first
single batch goes, and while both are there the single one does not count (`archive.segments`).
"""

from datetime import date
from pathlib import Path

import polars as pl

from warehouse.landing import folders
from warehouse.landing.archive import (
    Segment,
    compacted_segments,
    days_before,
    single_segments,
    write_records,
)
from warehouse.landing.schema import REGISTERED


def compact(landing: Path, today: date) -> list[Path]:
    """Compact the archived batches of all days before `today` (UTC); return the new folders.

    The caller sees to it that nobody else changes the archive: it holds the warehouse lock.
    """
    made: list[Path] = []
    for day in days_before(landing, today):
        held = {
            batch.batch_id for segment in compacted_segments(landing) for batch in segment.batches
        }
        singles = single_segments(day)
        if fresh := [segment for segment in singles if segment.batches[0].batch_id not in held]:
            made.append(_compact_day(landing, day.name, fresh))
        for segment in singles:
            folders.remove(segment.path)
        folders.discard_abandoned(day)  # a removal that was killed half way
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
    """Write one file a table into a folder, of batches in the order of batch_seq."""
    for table in REGISTERED:
        _concatenate(table, singles, folder)


def _concatenate(table: str, singles: list[Segment], folder: Path) -> None:
    """Write the rows of all batches one after the other, each with its batch_seq.

    Those of before a column came, or stood elsewhere, have it empty, or where the first has it.
    """
    frames = [
        pl.scan_parquet(file).with_columns(batch_seq=pl.lit(segment.batches[0].batch_seq, pl.Int64))
        for segment in singles
        if (file := segment.file(table))
    ]
    if frames:
        pl.concat(frames, how="diagonal").sink_parquet(folder / f"{table}.parquet")
