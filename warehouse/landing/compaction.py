"""Many small batches of a past day become one Parquet file a table.

Nothing is lost or doubled at any instant: the compacted folder appears whole before the first
single batch goes, and while both are there the single one does not count (`archive.parts`).
"""

from datetime import date
from pathlib import Path

import polars as pl

from warehouse.landing import folders
from warehouse.landing.archive import (
    Part,
    compacted_parts,
    days_before,
    single_parts,
    write_records,
)
from warehouse.landing.schema import REGISTERED


def compact(landing: Path, today: date) -> list[Path]:
    """Compact the archived batches of all days before `today` (UTC); return the new folders.

    The caller sees to it that nobody else changes the archive: it holds the warehouse lock.
    """
    made: list[Path] = []
    for day in days_before(landing, today):
        held = {batch.batch_id for part in compacted_parts(landing) for batch in part.batches}
        singles = single_parts(day)
        if fresh := [part for part in singles if part.batches[0].batch_id not in held]:
            made.append(_compact_day(landing, day.name, fresh))
        for part in singles:
            folders.remove(part.path)
        folders.discard_abandoned(day)  # a removal that was killed half way
        day.rmdir()
    return made


def _compact_day(landing: Path, day: str, singles: list[Part]) -> Path:
    batches = [part.batches[0] for part in singles]
    name = f"{day}_{batches[0].batch_seq:012}-{batches[-1].batch_seq:012}"
    target = landing / "archive" / "days" / name
    with folders.new_folder(target) as folder:
        merge(singles, folder)
        write_records(folder, batches)
    return target


def merge(singles: list[Part], folder: Path) -> None:
    """Write one file a table into a folder, of batches in the order of batch_seq."""
    for table in REGISTERED:
        _concatenate(table, singles, folder)


def _concatenate(table: str, singles: list[Part], folder: Path) -> None:
    """Write the rows of all batches one after the other, each with its batch_seq.

    Those of before a column came, or stood elsewhere, have it empty, or where the first has it.
    """
    frames = [
        pl.scan_parquet(file).with_columns(batch_seq=pl.lit(part.batches[0].batch_seq, pl.Int64))
        for part in singles
        if (file := part.file(table))
    ]
    if frames:
        pl.concat(frames, how="diagonal").sink_parquet(folder / f"{table}.parquet")
