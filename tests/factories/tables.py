"""Catalogue tables for tests that fill in only some columns."""

from warehouse.catalogue.table import Table


def taking_nulls(table: Table) -> str:
    """Return the table's DDL with all columns nullable."""
    return table.emptied.replace(" not null", "")
