"""Makes asset specs from catalogue tables, with each column's meaning for the UI."""

from collections.abc import Iterable

from dagster import AssetKey, AssetSpec, TableColumn, TableColumnConstraints, TableSchema

from warehouse.catalogue.table import Column, Table


def key_of(table: Table) -> AssetKey:
    """Return the asset of a table, e.g. raw/video_snapshots."""
    return AssetKey([table.schema, table.name])


def spec_of(
    table: Table, *, deps: Iterable[AssetKey], group_name: str, kinds: frozenset[str] = frozenset()
) -> AssetSpec:
    columns = TableSchema(columns=[_column(column) for column in table.columns])
    return AssetSpec(
        key_of(table),
        deps=list(deps),
        group_name=group_name,
        kinds={"duckdb", *kinds},
        description=f"{table.means} Changes: {table.change.value}.",
        metadata={"dagster/column_schema": columns},
    )


def _column(column: Column) -> TableColumn:
    return TableColumn(
        column.name,
        column.type,
        description=column.means or None,
        constraints=TableColumnConstraints(nullable=column.nullable),
    )
