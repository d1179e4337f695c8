"""What a publication has, in the parts in which the lake takes it: marts, and months of big facts.

A part's mark tells whether it is another than the one that the lake has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import duckdb

from warehouse.catalogue.models import MARTS
from warehouse.publication.facts import BIG_FACTS, BigFact
from warehouse.publication.fingerprint import count, fingerprint
from warehouse.publication.layout import month_file
from warehouse.publication.month import Month, next_month
from warehouse.publication.sql import quoted_name, quoted_path

PUBLICATION = "publication"
"""Its name while it is attached."""
MONTHS = f"""
    select month, is_native from {PUBLICATION}.files.months where fact = $fact order by month
"""  # noqa: S608 (a name of this module)
COLUMNS = """
    select
        table_name,
        column_name,
        data_type
    from duckdb_columns()
    where database_name = $database and schema_name = $schema
    order by table_name, column_index
"""
Columns = Mapping[str, tuple[tuple[str, str], ...]]
"""The names and types of each relation's columns, in their order."""


@dataclass(frozen=True)
class Partition:
    """Rows of a mart: all of a small one, those of a month of a big one."""

    mart: str
    condition: str
    """SQL: which of the mart's rows they are; those of no other part fulfil it."""
    fingerprint: str
    """The same for as long as the rows are."""
    source: str
    """SQL: what has them, and nothing else."""


def columns_of(connection: duckdb.DuckDBPyConnection, database: str, schema: str) -> Columns:
    """Return the columns of a schema's tables and views."""
    columns: dict[str, tuple[tuple[str, str], ...]] = {}
    named = {"database": database, "schema": schema}
    for relation, name, kind in connection.execute(COLUMNS, named).fetchall():
        columns[relation] = (*columns.get(relation, ()), (name, kind))
    return columns


def partitions_of(
    connection: duckdb.DuckDBPyConnection, folder: Path, marts: Columns
) -> Iterator[Partition]:
    """Yield the parts of the publication in `folder`, whose marts have these columns."""
    big = {fact.name: fact for fact in BIG_FACTS}
    for mart in marts:
        if mart in big:
            for month in _months(connection, big[mart]):
                yield _of_month(connection, month, folder)
        else:
            source = f"{PUBLICATION}.{MARTS}.{quoted_name(mart)}"
            yield Partition(mart, "true", _fingerprint(connection, source, "true"), source)


def _months(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> Iterator[Month]:
    """Yield a fact's months; the last one has all that is later, as in the publication."""
    months = connection.execute(MONTHS, {"fact": fact.name}).fetchall()
    for (start, is_native), later in zip(months, [*months[1:], None], strict=False):
        yield Month(fact, start, next_month(start) if later else None, is_native)


def _of_month(connection: duckdb.DuckDBPyConnection, month: Month, folder: Path) -> Partition:
    """Return a month: in a file, it is the same one for as long as it is the same file.

    Publications link the file for as long as its rows are the same, so it is not read for that.
    """
    mart, condition = month.fact.name, month.condition
    if month.is_native:
        source = f"(from {PUBLICATION}.recent.{mart} where {condition})"
        fingerprint = _fingerprint(connection, f"{PUBLICATION}.recent.{mart}", condition)
    else:
        file = month_file(folder, mart, month.start)
        source, status = f"read_parquet({quoted_path(file)})", file.stat()
        fingerprint = f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
    return Partition(mart, condition, fingerprint, source)


def _fingerprint(connection: duckdb.DuckDBPyConnection, source: str, condition: str) -> str:
    rows = count(connection, source, condition), fingerprint(connection, source, condition)
    return sha256(repr(rows).encode()).hexdigest()
