"""The parameters of a build as DuckDB macros without arguments, such as `control.as_of()`.

Models call them. DuckDB replaces a call by the value before it plans a statement, so that it skips
row groups, also through views.
"""

from collections.abc import Mapping
from datetime import datetime

from duckdb import DuckDBPyConnection

from warehouse.control.records import Run

OPEN_ENDS = {
    "previous_as_of": "-infinity",
    "first_reading_at": "-infinity",
    "backfill_from": "infinity",
    "backfill_to": "-infinity",
}
"""What a null of control.run means to models."""
NUMBERS = ("from_batch_seq", "to_batch_seq", "from_copy", "from_score_seq")


def parameters(run: Run) -> Mapping[str, str]:
    """Return the value of each macro as an SQL literal."""

    def instant(value: datetime | str) -> str:
        return f"timestamptz '{value.isoformat() if isinstance(value, datetime) else value}'"

    return {
        "as_of": instant(run.as_of),
        **{name: instant(getattr(run, name) or end) for name, end in OPEN_ENDS.items()},
        **{name: str(getattr(run, name)) for name in NUMBERS},
        "retracted": f"[{run.retracted}]",
        "follows_unfinished": str(run.follows_unfinished).lower(),
    }


def create_parameters(connection: DuckDBPyConnection, run: Run) -> None:
    for name, value in parameters(run).items():
        connection.execute(f"create or replace macro control.{name}() as ({value})")
