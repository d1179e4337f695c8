"""Executes the statements written ahead of the runs, in the order of the models, without dbt.

dbt takes several times as long as the statements of a small build. That it comes to the same rows
is tested where dbt is the point (`test_whole_history`, `test_untouched`, passes of the pipeline).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import duckdb
from dbt.contracts.graph.nodes import ModelNode
from dbt.node_types import NodeType

from orchestration.building import manifests, rendering
from orchestration.building.dbt import as_text
from orchestration.building.written_nodes import HOLDS, _answered, execute
from warehouse.control import Run

OTHER_TYPE = {"view": "table", "table": "view"}


@dataclass(frozen=True)
class Model:
    """A model, and the names of those that it reads."""

    unique_id: str
    schema: str
    relation: str
    type: str
    parents: frozenset[str]


@cache
def models() -> dict[str, Model]:
    """Return all models by name, each behind those that it reads."""
    nodes = {n: node for n, node in rendering.parsed().nodes.items() if isinstance(node, ModelNode)}
    made = {
        node.name: Model(
            unique_id,
            node.schema,
            str(node.relation_name),
            "view" if node.get_materialization() == "view" else "table",
            frozenset(nodes[each].name for each in node.depends_on.nodes if each in nodes),
        )
        for unique_id, node in nodes.items()
    }
    order = TopologicalSorter({name: model.parents for name, model in made.items()}).static_order()
    return {name: made[name] for name in order}


def chosen(select: Iterable[str]) -> Collection[str]:
    """Return the names of the models that dbt would select: `+` asks for what they read, too."""
    names: set[str] = set()
    for each in select:
        waiting = [each.removeprefix("+")]
        while waiting:
            names.add(name := waiting.pop())
            waiting += models()[name].parents - names if each.startswith("+") else ()
    return names or models().keys()


@cache
def data_tests() -> dict[str, str]:
    """Return the names of all data tests by their ids."""
    nodes = rendering.parsed().nodes.items()
    return {n: node.name for n, node in nodes if node.resource_type == NodeType.Test}


def build(path: Path, run: Run, *select: str, is_tested: bool = False) -> None:
    """Make the models of a run in one file, and look whether data tests hold.

    Raises AssertionError with what failed.
    """
    statements = manifests.statements_for(as_text(run))
    with duckdb.connect(config={"threads": 1, "asof_loop_join_threshold": 0}) as connection:
        connection.execute(f"attach '{path}' as warehouse (recovery_mode no_wal_writes)")
        connection.execute("set TimeZone = 'UTC'; set search_path = 'warehouse.main'")
        names = chosen(select)
        for schema in {model.schema for model in models().values()}:
            connection.execute(f"create schema if not exists warehouse.{schema}")
        there = _types(connection)
        for name, model in models().items():
            if name in names:
                if there.get(f"{model.schema}.{name}") == OTHER_TYPE[model.type]:
                    connection.execute(f"drop {OTHER_TYPE[model.type]} {model.relation}")
                _make(connection, name, statements[model.unique_id])
        if is_tested:
            assert failing_tests(connection, run) == {}
        connection.execute("checkpoint warehouse")


def _make(connection: duckdb.DuckDBPyConnection, name: str, statements: list[str]) -> None:
    try:
        execute(connection, statements)
    except duckdb.Error as error:
        raise AssertionError(f"{name}: {error}") from error


def failing_tests(connection: duckdb.DuckDBPyConnection, run: Run) -> dict[str, object]:
    """Return the data tests of a run that do not hold, by name, with what dbt makes of each."""
    statements = manifests.statements_for(as_text(run))
    results = {
        name: connection.execute(_answered(connection, *statements[unique_id])).fetchone()
        for unique_id, name in data_tests().items()
    }
    return {name: result for name, result in results.items() if result != HOLDS}


def _types(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return which relations are views and which are tables."""
    rows = connection.execute(
        "select schema_name || '.' || table_name, 'table' from duckdb_tables()"
        " union all select schema_name || '.' || view_name, 'view' from duckdb_views()"
    ).fetchall()
    return dict(rows)
