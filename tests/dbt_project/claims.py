"""Claims of data tests about copies of PostgreSQL tables, and whether PostgreSQL enforces them.

A claim is a data test of a staging model in terms of the operational table it copies. An asserted
claim that PostgreSQL does not enforce lets the API accept a write that stops every later run.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb
from jinja2 import Environment, meta
from sqlalchemy import Inspector

from orchestration.building.rendering import PROJECT
from warehouse.catalogue.accruals import COPIED

Node = Mapping[str, Any]
SOURCE = "source.creator_tracker.operational."


@dataclass(frozen=True)
class Claim:
    """A data test of the type `says` on columns of a PostgreSQL table."""

    says: str
    table: str
    columns: tuple[str, ...]
    nullable: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    refers_to: tuple[str, str] | None = None
    test: str = field(default="", compare=False)

    def __str__(self) -> str:
        values = f" in {', '.join(sorted(self.values))}" if self.values else ""
        return f"{self.says}: {self.table}.{','.join(self.columns)}{values}"


@dataclass(frozen=True)
class Staged:
    """A staging model: its operational table and the columns it copies from it."""

    table: str
    columns: Mapping[str, str]


def claims(manifest: Mapping[str, Any]) -> Iterator[Claim]:
    """Return the claims of data tests on staging models that copy an operational table.

    It skips other parents of these models. Raises KeyError for a computed column, which PostgreSQL
    cannot enforce.
    """
    nodes: Mapping[str, Node] = manifest["nodes"]
    parents: Mapping[str, list[str]] = manifest["parent_map"]
    tables = {name: _table_in(parents[name]) for name in nodes if name.startswith("model.")}
    staged = {name: _staged(nodes[name], table) for name, table in tables.items() if table}
    for unique_id, node in nodes.items():
        about = {node_id for node_id in parents[unique_id] if node_id.startswith("model.")}
        if node["resource_type"] != "test" or not about or not about <= staged.keys():
            continue
        assert "test_metadata" in node, f"{node['name']} is no test of columns: enforce it by hand"
        yield _claim(node, staged)


def _table_in(parents: list[str]) -> str | None:
    """Return the operational table that a staging model with these parents copies."""
    tables = [node_id for node_id in parents if node_id.startswith(SOURCE)]
    return tables[0].removeprefix(SOURCE) if tables else None


def _staged(node: Node, table: str) -> Staged:
    """Read which columns a model copies unchanged, from DuckDB's parse of its SQL."""
    template = Environment()
    code = (PROJECT / node["original_file_path"]).read_text(encoding="utf-8")
    called = meta.find_undeclared_variables(template.parse(code))
    macros: dict[str, Any] = dict.fromkeys(called, lambda *_: "null")  # not a copied column
    macros["accrual_columns"] = lambda: ["accrual_id", *(column.name for column in COPIED)]
    sql = template.from_string(code).render({**macros, "source": "{}.{}".format})
    with duckdb.connect() as connection:
        parsed = connection.execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0]
    [statement] = json.loads(parsed)["statements"]
    selected = statement["node"]["select_list"]
    plain = [column for column in selected if column["class"] == "COLUMN_REF"]
    names = {
        column["alias"] or column["column_names"][-1]: column["column_names"][-1]
        for column in plain
    }
    return Staged(table, names)


def _claim(node: Node, staged: Mapping[str, Staged]) -> Claim:
    says, arguments = node["test_metadata"]["name"], node["test_metadata"]["kwargs"]
    model = staged[node["attached_node"]]
    columns = arguments.get("key") or [arguments["column_name"]]
    return Claim(
        says,
        model.table,
        tuple(model.columns[column] for column in columns),
        frozenset(model.columns[column] for column in arguments.get("nullable", [])),
        frozenset(arguments.get("values", [])),
        _referred(arguments, staged) if says == "relationships" else None,
        node["name"],
    )


def _referred(arguments: Mapping[str, Any], staged: Mapping[str, Staged]) -> tuple[str, str]:
    [name] = re.findall(r"ref\('(\w+)'\)", arguments["to"])
    model = staged[f"model.creator_tracker.{name}"]
    return model.table, model.columns[arguments["field"]]


def is_enforced(claim: Claim, catalog: Inspector) -> bool:
    """Return whether PostgreSQL refuses every row that would break the claim."""
    return ENFORCED[claim.says](claim, catalog)


def _is_grain(claim: Claim, catalog: Inspector) -> bool:
    filled = [column for column in claim.columns if column not in claim.nullable]
    return _is_unique(claim, catalog) and _filled(claim.table, catalog).issuperset(filled)


def _is_unique(claim: Claim, catalog: Inspector) -> bool:
    """A unique index on a subset of the columns is enough if none of them is nullable."""
    within = _filled(claim.table, catalog) & set(claim.columns)
    return any(keys and within.issuperset(keys) for keys in _unique_keys(claim.table, catalog))


def _unique_keys(table: str, catalog: Inspector) -> Iterator[list[str | None]]:
    yield list(catalog.get_pk_constraint(table)["constrained_columns"])
    for index in catalog.get_indexes(table):
        if index["unique"] and "postgresql_where" not in index.get("dialect_options", {}):
            yield list(index["column_names"])


def _is_filled(claim: Claim, catalog: Inspector) -> bool:
    return _filled(claim.table, catalog).issuperset(claim.columns)


def _filled(table: str, catalog: Inspector) -> set[str]:
    return {column["name"] for column in catalog.get_columns(table) if not column["nullable"]}


def _has_values(claim: Claim, catalog: Inspector) -> bool:
    """Look for a check of this column that names only accepted values."""
    [column] = claim.columns
    one_of = re.compile(rf"^\(?{column}\)?(::\w+)? = ANY \(+ARRAY\[(.*)\]")
    checks = (
        one_of.match(check["sqltext"]) for check in catalog.get_check_constraints(claim.table)
    )
    named = [set(re.findall(r"'([^']*)'", check[2])) for check in checks if check]
    return any(claim.values.issuperset(values) for values in named)


def _is_known(claim: Claim, catalog: Inspector) -> bool:
    keys = catalog.get_foreign_keys(claim.table)
    return any(
        (tuple(key["constrained_columns"]), key["referred_table"], tuple(key["referred_columns"]))
        == (claim.columns, *_as_key(claim.refers_to))
        for key in keys
    )


def _as_key(refers_to: tuple[str, str] | None) -> tuple[str, tuple[str]]:
    return refers_to[0], (refers_to[1],)


ENFORCED: Mapping[str, Callable[[Claim, Inspector], bool]] = {
    "one_row_for_each": _is_grain,
    "unique": _is_unique,
    "not_null": _is_filled,
    "accepted_values": _has_values,
    "relationships": _is_known,
}
"""By data test: how to find it in PostgreSQL's catalog. A test without an entry fails."""
