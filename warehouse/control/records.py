"""Records of builds: the one under way (control.run), and the last published one."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Parameters of one build, the columns of control.run. Instants are UTC.

    A build computes what the batches in (from_batch_seq, to_batch_seq] and the readings in
    (previous_as_of, as_of] change; readings after as_of are ignored. Copies of operational.* in
    (from_copy, to_copy], counted from 1, and runs of the comment scorer in (from_score_seq,
    to_score_seq] are new too. Readings in [backfill_from, backfill_to) count as new again.
    `follows_unfinished`: the build before was not published.
    """

    run_id: UUID
    as_of: datetime
    is_full_refresh: bool
    follows_unfinished: bool
    from_batch_seq: int
    to_batch_seq: int
    from_copy: int
    to_copy: int
    from_score_seq: int
    to_score_seq: int
    previous_as_of: datetime | None
    first_reading_at: datetime | None
    backfill_from: datetime | None
    backfill_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The last published build, the columns of control.published."""

    run_id: UUID
    as_of: datetime
    to_batch_seq: int
    to_copy: int
    to_score_seq: int
    first_reading_at: datetime | None


def last_begun(connection: DuckDBPyConnection) -> Run | None:
    columns = ", ".join(_names(Run))
    row = connection.execute(f"select {columns} from control.run").fetchone()  # noqa: S608 (ours)
    return Run(**dict(zip(_names(Run), row, strict=True))) if row else None


def last_unfinished(connection: DuckDBPyConnection, last: Published | None) -> Run | None:
    """Return the last build begun, if it was not published."""
    begun = last_begun(connection)
    if begun is None or (last is not None and begun.run_id == last.run_id):
        return None
    return begun


def last_published(connection: DuckDBPyConnection) -> Published | None:
    columns = ", ".join(_names(Published))
    query = f"select {columns} from control.published"  # noqa: S608 (our own columns)
    row = connection.execute(query).fetchone()
    return Published(**dict(zip(_names(Published), row, strict=True))) if row else None


def replace_row(connection: DuckDBPyConnection, table: str, row: Run | Published) -> None:
    """Make this the only row of `control.<table>`."""
    values = asdict(row)
    columns, placeholders = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"delete from control.{table}")  # noqa: S608 (our own table)
    connection.execute(
        f"insert into control.{table} ({columns}) values ({placeholders})",  # noqa: S608 (likewise)
        list(values.values()),
    )


def _names(record: type[Run] | type[Published]) -> list[str]:
    return [field.name for field in fields(record)]
