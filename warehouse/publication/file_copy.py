"""Continues the previous publication's file, so that a run writes what it may have changed.

The first publication of a UTC day writes its file whole. Later ones of that day copy the file, and
replace its small tables and the rows of big facts from `tail_from` on. A fact that a run touched
before that day is written whole.
"""

import shutil
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import duckdb

from warehouse.publication.facts import BigFact
from warehouse.publication.layout import DATABASE
from warehouse.publication.month import Month, tail_of
from warehouse.publication.previous import PreviousPublication

SCHEMAS = """
    select schema_name
    from duckdb_schemas()
    where database_name = 'building' and schema_name not in ('main', 'recent') and not internal
"""
RECENT = """
    select table_name
    from duckdb_tables()
    where database_name = 'building' and schema_name = 'recent'
"""


def copy_file(previous: PreviousPublication, folder: Path, tail: date) -> bool:
    """Copy the previous file to `folder` if it is of the same day. Returns whether it did.

    Without an incremental run on it, any of its rows may differ.
    """
    is_copy = previous.tail_from == tail and bool(previous.touched_from)
    if is_copy:
        shutil.copyfile(previous.folder / DATABASE, folder / DATABASE)
    return is_copy


def strip(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    months: Mapping[BigFact, Sequence[Month]],
    tail: date,
) -> frozenset[BigFact]:
    """Remove what is written again from the copied file, attached as `building`.

    Returns the facts whose rows before `tail` stay. Their later rows stay too if untouched.
    """
    for (schema,) in connection.execute(SCHEMAS).fetchall():
        connection.execute(f"drop schema building.{schema} cascade")
    there = {table for (table,) in connection.execute(RECENT).fetchall()}
    staying = frozenset(
        fact
        for fact, of_fact in months.items()
        if fact.name in there and _stays(previous, fact, of_fact, tail)
    )
    for table in there - {fact.name for fact in staying}:
        connection.execute(f"drop table building.recent.{table}")
    for fact in staying:
        if not previous.holds_untouched(rest := tail_of(fact, tail)):
            connection.execute(f"delete from building.recent.{fact.name} where {rest.condition}")  # noqa: S608 (names of facts.py)
    # DuckDB 1.5.5 writes to removed blocks only after a checkpoint.
    connection.execute("checkpoint building")
    return staying


def _stays(
    previous: PreviousPublication, fact: BigFact, months: Sequence[Month], tail: date
) -> bool:
    """Return whether the file has exactly a fact's native rows before `tail`.

    It lacks months if a version with fewer native months made it.
    """
    if previous.touched_from.get(fact.name, date.min) < tail:
        return False
    there = {month.key: month.is_native for month in months if month.start < tail}
    return there == previous.months_before(fact, tail)
