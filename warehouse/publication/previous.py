"""What the publication before this one already holds, so that unchanged months are taken over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import duckdb

from warehouse.publication.layout import DATABASE, month_file
from warehouse.publication.months import Month
from warehouse.publication.sql import attached


@dataclass(frozen=True)
class PreviousPublication:
    """The months of the previous publication; attached as `previous` while one is built."""

    folder: Path
    held: dict[tuple[str, date], tuple[str, bool]] = field(default_factory=dict)
    """Fingerprint and is_native by fact and month."""

    def has_natively(self, month: Month) -> bool:
        """Whether the same rows lie, in read order, in its native table."""
        return self._held(month) == (month.fingerprint, True)

    def has_as_parquet(self, month: Month) -> bool:
        """Whether the same rows lie in one of its Parquet files."""
        file = month_file(self.folder, month.fact.name, month.start)
        return self._held(month) == (month.fingerprint, False) and file.exists()

    def native_rows(self, month: Month) -> str:
        """Return the query of a month's rows in its native table, in read order."""
        return f"select * from previous.recent.{month.fact.name} where {month.condition}"  # noqa: S608 (names of facts.py)

    def _held(self, month: Month) -> tuple[str, bool] | None:
        return self.held.get((month.fact.name, month.start))


@contextmanager
def attached_previous(
    connection: duckdb.DuckDBPyConnection, folder: Path | None
) -> Iterator[PreviousPublication]:
    """Attach the publication in `folder`; without one, yield a publication that holds nothing."""
    if folder is None:
        yield PreviousPublication(Path())
        return
    with attached(connection, folder / DATABASE, "previous", read_only=True):
        months = connection.execute(
            "select fact, month, fingerprint, is_native from previous.files.months"
        ).fetchall()
        held = {(fact, month): (mark, is_native) for fact, month, mark, is_native in months}
        yield PreviousPublication(folder, held)
