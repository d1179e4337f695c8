"""polars schemas of landed and registered batches, from the catalogue.

A landed batch has platforms and handles. Registration turns it into rows with the registry's
video_id and account_id, one for each project that tracks the post. Both are folders of Parquet
files, named like their tables.
"""

from collections.abc import Iterable, Mapping

import polars as pl

from warehouse.catalogue import landed, raw
from warehouse.catalogue.readings import BATCH_SEQ
from warehouse.catalogue.table import Column, Table, Type

UTC = pl.Datetime("us", "UTC")

DTYPES: Mapping[Type, pl.DataType] = {
    "uuid": pl.String(),
    "varchar": pl.String(),
    "varchar[]": pl.List(pl.String()),
    "integer[]": pl.List(pl.Int32()),
    "boolean": pl.Boolean(),
    "bigint": pl.Int64(),
    "timestamptz": UTC,
}
"""polars type of each column type in Parquet files. Ids are text there."""


def schema_of(columns: Iterable[Column]) -> pl.Schema:
    return pl.Schema({column.name: DTYPES[column.type] for column in columns})


def _registered(table: Table) -> pl.Schema:
    return schema_of(column for column in table.columns if column != BATCH_SEQ)


LANDED = {table.name: schema_of(table.columns) for table in landed.LANDED}
REGISTERED = {table.name: _registered(table) for table in raw.REGISTERED}

REQUIRED = {table.name: table.required for table in landed.LANDED}
"""Columns of a landed batch that are never null."""

CAME_LATER = {
    (table.name, column.name)
    for table in (*landed.LANDED, *raw.REGISTERED)
    for column in table.columns
    if column.came_later
}
"""(file, column) that older batches lack; they are null there."""
