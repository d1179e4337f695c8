"""Queries that stand in `.sql` files beside the modules that ask them."""

import re
from importlib.resources import files

_OWN_TABLES = re.compile(r"(?:\s|--.*\n)*with\b")
"""How a query begins that names tables itself, behind what is said of it."""


def statement(module: str, name: str) -> str:
    """Return the query in the file `name` of a module's folder."""
    package = module.rpartition(".")[0]
    return files(package).joinpath(name).read_text(encoding="utf-8")


def over(query: str, **tables: str) -> str:
    """Return a query that reads others by their names, each of which may read those before it."""
    named = ",\n".join(f"{name} as not materialized (\n{table})" for name, table in tables.items())
    if own := _OWN_TABLES.match(query):
        return f"with {named},\n{query[own.end() :]}"
    return f"with {named}\n({query})"
