"""Builds models with the product's executor, in one file and one thread."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from orchestration.building import executor
from orchestration.building.executor import attached, execute
from orchestration.building.manifests import Node, manifest_json
from orchestration.building.results import NodeResult
from tests.dbt_project.profiles import Handled, Profiled
from warehouse.control import Run
from warehouse.settings import Settings


def build(
    path: Path,
    run: Run,
    *select: str,
    is_tested: bool = False,
    skips: bool = False,
    handled: Handled | None = None,
) -> list[NodeResult]:
    """Build the models of a run in one file, with data tests if `is_tested`.

    Raises AssertionError with the failures. Without `skips`, unchanged models are built too.
    `handled` receives the rows that each statement processes.
    """
    names = chosen(select)
    nodes = [
        node
        for node in manifest_json()["nodes"].values()
        if (is_tested if node["resource_type"] == "test" else node["name"] in names)
    ]
    settings = Settings(warehouse_url=str(path), duckdb_threads=1, _env_file=None)
    with attached(settings) as connection:
        if not skips:
            connection.execute("delete from control.contents")
        if handled is None:
            results = execute(connection, run, nodes)
        else:
            profiled: Any = Profiled(connection, handled)
            results = execute(profiled, run, nodes, on_node=profiled.end_node)
    failed = [result for result in results if result.status not in GREEN]
    assert not failed, "\n".join(f"{each.name}: {each.message}" for each in failed)
    return results


def break_model(patch: pytest.MonkeyPatch, name: str) -> None:
    """Make the SQL of a model fail."""
    statements = executor.statements

    def failing(node_id: str, *, is_full: bool) -> Sequence[str]:
        is_it = node_id.endswith(f".{name}")
        return ["select error('no memory')"] if is_it else statements(node_id, is_full=is_full)

    patch.setattr(executor, "statements", failing)


GREEN = {"success", "no-op", "pass"}


def chosen(select: Iterable[str]) -> Collection[str]:
    """Return the names of models that dbt would select; `+` adds their parents."""
    models = {node["name"]: node for node in manifest_json()["nodes"].values() if is_model(node)}
    names: set[str] = set()
    for each in select:
        waiting = [each.removeprefix("+")]
        while waiting:
            names.add(name := waiting.pop())
            parents = manifest_json()["parent_map"][models[name]["unique_id"]]
            read = {parent.split(".")[-1] for parent in parents if parent.startswith("model.")}
            waiting += read - names if each.startswith("+") else ()
    return names or models.keys()


def is_model(node: Node) -> bool:
    return bool(node["resource_type"] == "model")


def failing_tests(connection: duckdb.DuckDBPyConnection, run: Run) -> dict[str, object]:
    """Return the failing data tests of a run by name, with their failing rows."""
    tests = {n: node for n, node in manifest_json()["nodes"].items() if not is_model(node)}
    with connection.cursor() as cursor:
        cursor.execute("delete from control.contents")
        results = execute(cursor, run, tests.values())
    return {
        tests[each.unique_id]["name"]: each.failures for each in results if each.status != "pass"
    }
