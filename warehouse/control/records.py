"""Schema `control`: its tables, and the records of builds under way and last published.

The tables describe a past computed by the present models. If the models changed, that past is
invalid: the tables are recreated, and the next build computes everything. Tables of models that
were removed or moved to another schema are dropped, because no build would update them.
"""

from dataclasses import asdict, dataclass, fields
from datetime import datetime
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.catalogue.control import CONTROL
from warehouse.catalogue.models import LAYERS, schemas
from warehouse.catalogue.operational import IMPORTS
from warehouse.catalogue.past import PAST, model_of
from warehouse.models_version import models_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Parameters of one build, the columns of control.run. Instants are UTC.

    A build computes what the batches in (from_batch_seq, to_batch_seq] and the readings in
    (previous_as_of, as_of] change; readings after as_of are ignored. Copies of operational.* in
    (from_copy, to_copy], counted from 1, and runs of the comment scorer in (from_score_seq,
    to_score_seq] are new too. Readings in [backfill_from, backfill_to) count as new again.
    Batches in `retracted` are left out.
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
    retracted: str
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
    retracted: str
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


MADE = """
    select
        'table' as kind,
        schema_name,
        table_name as model
    from duckdb_tables()
    where database_name = current_database() and schema_name in $layers
    union all
    select
        'view' as kind,
        schema_name,
        view_name as model
    from duckdb_views()
    where database_name = current_database() and schema_name in $layers
"""


def create_tables(connection: DuckDBPyConnection) -> None:
    """Create missing tables. If the models changed, drop all first.

    This also drops tables that no model builds any more.
    """
    version = models_version()
    if _version_there(connection) != version:
        _drop_what_nothing_makes(connection)
        connection.execute("drop schema if exists control cascade")
    connection.execute(
        "create schema if not exists control; create schema if not exists operational"
    )
    for table in (*CONTROL, IMPORTS):  # an older version copied no imports
        for statement in table.there:
            connection.execute(statement)
    connection.execute(
        "insert into control.models select ? where not exists (from control.models)", [version]
    )


def replace_past(connection: DuckDBPyConnection) -> None:
    """Replace the published past by the tables of the build that was just published."""
    for past in PAST:
        columns = ", ".join(past.column_names)
        computed = f"select {columns} from intermediate.{model_of(past)}"  # noqa: S608 (our own)
        connection.execute(f"delete from {past.relation}")  # noqa: S608 (likewise)
        connection.execute(f"insert into {past.relation} {computed}")


def _drop_what_nothing_makes(connection: DuckDBPyConnection) -> None:
    for kind, schema, model in connection.execute(MADE, {"layers": LAYERS}).fetchall():
        if schemas().get(model) != schema:
            connection.execute(f'drop {kind} {schema}."{model}"')


def _version_there(connection: DuckDBPyConnection) -> str | None:
    table_row = connection.execute(
        "from duckdb_tables() where database_name = current_database()"
        " and schema_name = 'control' and table_name = 'models'"
    ).fetchone()
    if table_row is None:
        return None
    row = connection.execute("from control.models").fetchone()
    return row[0] if row else None
