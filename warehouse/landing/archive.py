"""The archive: every ingested batch in its registered form, for `tracker rebuild`.

`archive/batches/<day>/<batch_id>` has one batch, `archive/days/<day>_<first>-<last>` a day's
compacted batches (`compaction`). `batches.json` beside the Parquet files has the batches' rows of
raw.batches. Compacted files have a column batch_seq in addition.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from warehouse.landing import folders
from warehouse.landing.batches import Batch

RECORDS = "batches.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedBatch:
    """A batch as in raw.batches: its number, and its rows by table."""

    batch_id: UUID
    batch_seq: int
    kind: str
    ingested_at: datetime
    video_snapshots: int
    account_snapshots: int
    scrape_outcomes: int
    comments: int = 0  # missing in batches older than comment collection
    comment_walks: int = 0

    @property
    def day(self) -> date:
        """The day of ingestion in UTC, by which the archive is ordered."""
        return self.ingested_at.astimezone(UTC).date()


@dataclass(frozen=True, slots=True)
class Segment:
    """A folder of the archive with its batches, in the order of batch_seq.

    In a bucket, `path` is the name of its manifest, and `Landing.at_hand` fetches its files.
    """

    path: Path
    batches: tuple[IngestedBatch, ...]
    is_compacted: bool

    def file(self, name: str) -> Path | None:
        """Return the Parquet file of a table, or None without such rows."""
        path = self.path / f"{name}.parquet"
        return path if path.exists() else None


def archive(landing: Path, batch: Batch, ingested: IngestedBatch) -> None:
    """Move a registered batch whose rows are committed into the archive."""
    target = landing / "archive" / "batches" / ingested.day.isoformat() / str(batch.batch_id)
    if target.exists():  # archived before, then landed again
        folders.remove(batch.path)
        return
    write_records(batch.path, [ingested])
    folders.move(batch.path, target)


def segments(landing: Path) -> list[Segment]:
    """Return the whole archive in the order of batch_seq, each batch once."""
    singles = [segment for day in _days(landing) for segment in single_segments(day)]
    return each_once(compacted_segments(landing), singles)


def each_once(compacted: list[Segment], singles: list[Segment]) -> list[Segment]:
    """Return segments in the order of batch_seq.

    A single batch that another segment has too is skipped: its move or compaction was interrupted.
    """
    batch_ids = {batch.batch_id for segment in compacted for batch in segment.batches}
    first = {segment.batches[0].batch_id: segment for segment in reversed(singles)}
    rest = [segment for batch_id, segment in first.items() if batch_id not in batch_ids]
    return sorted([*compacted, *rest], key=lambda segment: segment.batches[0].batch_seq)


def compacted_segments(landing: Path, day: str = "") -> list[Segment]:
    """Return the compacted segments of one day, or of all days."""
    days = _whole(landing / "archive" / "days")
    return [_segment(path, is_compacted=True) for path in days if path.name.startswith(day)]


def single_segments(day: Path) -> list[Segment]:
    """Return one day's single batches in the order of batch_seq."""
    singles = [_segment(path, is_compacted=False) for path in _whole(day)]
    return sorted(singles, key=lambda segment: segment.batches[0].batch_seq)


def days_before(landing: Path, today: date) -> list[Path]:
    """Return the folders with single batches of days before `today`, oldest first."""
    return [day for day in _days(landing) if day.name < today.isoformat()]


def write_records(folder: Path, batches: Iterable[IngestedBatch]) -> None:
    """Write the rows of raw.batches for the batches in a folder."""
    text = json.dumps([asdict(batch) for batch in batches], default=str, indent=1)
    folders.write_file(folder / RECORDS, text + "\n")


def _days(landing: Path) -> list[Path]:
    return _whole(landing / "archive" / "batches")


def _whole(parent: Path) -> list[Path]:
    """Return the folders in a folder, without those being written and strays of file managers."""
    if not parent.exists():
        return []
    whole = (path for path in parent.iterdir() if not path.name.startswith(folders.PREFIX))
    return sorted(path for path in whole if path.is_dir())


def _segment(path: Path, *, is_compacted: bool) -> Segment:
    records = json.loads((path / RECORDS).read_text(encoding="utf-8"))
    return Segment(path, tuple(_record(record) for record in records), is_compacted)


def _record(record: dict[str, Any]) -> IngestedBatch:
    return IngestedBatch(
        **{
            **record,
            "batch_id": UUID(record["batch_id"]),
            "ingested_at": datetime.fromisoformat(record["ingested_at"]),
        }
    )
