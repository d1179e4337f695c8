"""The partitions in which the lake copies a publication: marts, and months of big facts.

A partition's fingerprint shows whether the lake's copy differs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import duckdb

from warehouse.catalogue.models import MARTS
from warehouse.publication.facts import BIG_FACTS, BigFact
from warehouse.publication.fingerprint import fingerprint
from warehouse.publication.layout import month_file
from warehouse.publication.month import Month, next_month
from warehouse.publication.sql import quoted_name, quoted_path

PUBLICATION = "publication"
"""Its name while attached."""
MONTHS = f"""
    select month, in_file from {PUBLICATION}.files.months where fact = $fact order by month
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
"""(name, type) of each relation's columns, in order."""


@dataclass(frozen=True)
class Partition:
    """Rows of a mart: all of a small one, or a month of a big one."""

    mart: str
    condition: str
    """SQL condition that holds for these rows and no other partition's."""
    fingerprint: str
    """Changes with the rows."""
    source: str
    """SQL source of exactly these rows."""


def columns_of(connection: duckdb.DuckDBPyConnection, database: str, schema: str) -> Columns:
    columns: dict[str, tuple[tuple[str, str], ...]] = {}
    named = {"database": database, "schema": schema}
    for relation, name, kind in connection.execute(COLUMNS, named).fetchall():
        columns[relation] = (*columns.get(relation, ()), (name, kind))
    return columns


def partitions_of(
    connection: duckdb.DuckDBPyConnection, folder: Path, marts: Columns
) -> Iterator[Partition]:
    """Yield the partitions of the publication in `folder`, whose marts have these columns."""
    big = {fact.name: fact for fact in BIG_FACTS}
    for mart in marts:
        if mart in big:
            for month in _months(connection, big[mart]):
                yield _of_month(connection, month, folder)
        else:
            source = f"{PUBLICATION}.{MARTS}.{quoted_name(mart)}"
            yield Partition(mart, "true", _fingerprint(connection, source, "true"), source)


def _months(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> Iterator[Month]:
    """Yield a fact's months. The last one has all later rows too, as in the publication."""
    months = connection.execute(MONTHS, {"fact": fact.name}).fetchall()
    for (start, in_file), later in zip(months, [*months[1:], None], strict=False):
        yield Month(fact, start, next_month(start) if later else None, not in_file)


def _of_month(connection: duckdb.DuckDBPyConnection, month: Month, folder: Path) -> Partition:
    """Return the partition of a month. For a month in a file, the file identifies it.

    Publications link the same file while its rows are the same, so the rows need not be read.
    """
    mart, condition = month.fact.name, month.condition
    if month.is_native:
        source = f"(from {PUBLICATION}.{MARTS}.{mart} where {condition})"
        fingerprint = _fingerprint(connection, f"{PUBLICATION}.{MARTS}.{mart}", condition)
    else:
        file = month_file(folder, mart, month.start)
        source, status = f"read_parquet({quoted_path(file)})", file.stat()
        fingerprint = f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
    return Partition(mart, condition, fingerprint, source)


def _fingerprint(connection: duckdb.DuckDBPyConnection, source: str, condition: str) -> str:
    return sha256(repr(fingerprint(connection, source, condition)).encode()).hexdigest()
