"""The base: most native rows of big facts, in a DuckDB file that later publications link.

A base never changes. A publication reads each fact's days from it up to one, `until`, and has later
rows in its own file. A run that touches an earlier day only moves `until`, so that what is written
follows what is new. A new base is written when publications wrote as many rows again beside the old
one: at the latest then it would have been cheaper.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb

from warehouse.publication.facts import BigFact, Month
from warehouse.publication.layout import base_file
from warehouse.publication.months import first_native, in_read_order
from warehouse.publication.previous import PreviousPublication, Span
from warehouse.publication.sql import NEW, attached, write_table

FEW_ROWS = 100_000
"""Rows that are cheaper to write beside a base than a new base, however small it is."""

SPANS = "fact varchar, start date, until date, beside bigint"
"""Columns of `files.base`: rows from `until` on are in `recent`."""


def provide_base(
    connection: duckdb.DuckDBPyConnection,
    previous: PreviousPublication,
    folder: Path,
    months: Mapping[BigFact, Sequence[Month]],
    as_of: datetime,
) -> Mapping[BigFact, Span]:
    """Link the previous publication's base to `folder`, or write a new one there."""
    now = as_of.astimezone(UTC)
    ends = {fact: (now - fact.unsettled).date() for fact in months}
    spans = {
        fact: previous.span_of(fact, first_native(fact, now.date()), ends[fact]) for fact in months
    }
    beside = sum(span.beside for span in spans.values())
    if previous.base_spans and beside <= max(previous.rows_of_base(), FEW_ROWS):
        os.link(base_file(previous.folder), base_file(folder))
    else:
        spans = {
            fact: Span(span.start, max(span.start, ends[fact])) for fact, span in spans.items()
        }
        _write_base(connection, folder, months, spans)
    rows = [(fact.name, *astuple(span)) for fact, span in spans.items()]
    write_table(connection, "base", SPANS, rows)
    return spans


def _write_base(
    connection: duckdb.DuckDBPyConnection,
    folder: Path,
    months: Mapping[BigFact, Sequence[Month]],
    spans: Mapping[BigFact, Span],
) -> None:
    """Write a file with these days of facts, each month in read order."""
    with attached(connection, base_file(folder), "new_base", NEW):
        for fact, span in spans.items():
            table = f"new_base.{fact.name}"
            connection.execute(f"create table {table} as from {fact.relation} limit 0")
            for month in months[fact]:
                if month.is_native and month.start < span.until:
                    days = fact.between(month.start, min(month.end or span.until, span.until))
                    connection.execute(f"insert into {table} {in_read_order(fact, days)}")
        connection.execute("checkpoint new_base")


def write_recent(connection: duckdb.DuckDBPyConnection, fact: BigFact, start: date) -> None:
    """Write a fact's rows from a day on, in read order, to the publication's own file."""
    table = f"building.recent.{fact.name}"
    connection.execute(f"create table {table} as from {fact.relation} limit 0")
    connection.execute(f"insert into {table} {in_read_order(fact, fact.between(start, None))}")
