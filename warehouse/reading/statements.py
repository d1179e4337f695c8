"""Queries in `.sql` files beside their modules."""

import re
from importlib.resources import files

_OWN_TABLES = re.compile(r"(?:\s|--.*\n)*with\b")
"""A query's start with its own CTEs, after comments."""


def statement(module: str, name: str) -> str:
    """Return the query in the file `name` of a module's folder."""
    package = module.rpartition(".")[0]
    return files(package).joinpath(name).read_text(encoding="utf-8")


def over(query: str, **tables: str) -> str:
    """Return a query with other queries as CTEs, each of which may use those before it."""
    named = ",\n".join(f"{name} as not materialized (\n{table})" for name, table in tables.items())
    if own := _OWN_TABLES.match(query):
        return f"with {named},\n{query[own.end() :]}"
    return f"with {named}\n({query})"
