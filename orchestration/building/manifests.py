"""The rendered project: its graph, and the statements of each node."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from orchestration.building.rendering import read_project
from warehouse.catalogue.meanings import Model, Project
from warehouse.control import Run
from warehouse.control.parameters import parameters
from warehouse.models_version import models_version
from warehouse.simulation.inputs import GIVEN

Node = Mapping[str, Any]
PARAMETER = re.compile(r"\bcontrol\.(\w+)\(\)")
LAST = ("payout_costs", "payout_holds")
"""The models that depend on all others of a simulation."""


@cache
def manifest_json() -> dict[str, Any]:
    """Return the models and data tests in the order of a build, as in dbt's manifest.json."""
    models_version()  # first: a build whose models change from here on is recorded as older
    manifest = read_project()
    models = {node["name"]: node for node in _models(manifest)}
    described = Project(
        {name: _described(model) for name, model in models.items()},
        {name: _read_by(manifest, model) for name, model in models.items()},
    )
    for name, model in models.items():
        for column in model["columns"].values():
            column["description"] = described.column_meaning(name, column["name"])
    return manifest


def _models(manifest: Mapping[str, Any]) -> list[Node]:
    return [node for node in manifest["nodes"].values() if node["resource_type"] == "model"]


def _described(model: Node) -> Model:
    columns = {name: column["description"].strip() for name, column in model["columns"].items()}
    return Model(model["description"].strip(), columns)


def _read_by(manifest: Mapping[str, Any], model: Node) -> frozenset[str]:
    """Return the names of the models that a model reads."""
    parents = manifest["parent_map"][model["unique_id"]]
    return frozenset(manifest["nodes"][p]["name"] for p in parents if p in manifest["nodes"])


def rendered(node_id: str, suffix: str = ".sql", *, is_full: bool) -> str:
    """Return a node's SQL for a full refresh, or for a run that continues the last one."""
    node = manifest_json()["nodes"][node_id]
    folder = node["schema"] if node["resource_type"] == "model" else "tests"
    mode = "full" if is_full else "incremental"
    sql: str = manifest_json()["sql"][f"{mode}/{folder}/{node['alias']}{suffix}"]
    return sql.strip()


def statements(node_id: str, *, is_full: bool) -> Sequence[str]:
    """Return what builds a model, in order: a table or view, or the new rows of a table."""
    node, sql = manifest_json()["nodes"][node_id], rendered(node_id, is_full=is_full)
    relation, materialized = node["relation_name"], node["config"]["materialized"]
    if materialized == "incremental" and not is_full:
        return (
            f"create or replace temporary table new_rows as (\n{sql}\n)",
            rendered(node_id, ".delete.sql", is_full=is_full),
            f"insert into {relation} by name from new_rows",
            "drop table new_rows",
        )
    kind = "view" if materialized == "view" else "table"
    return (f"create or replace {kind} {relation} as (\n{sql}\n)",)


def earning_statements(run: Run) -> Sequence[str]:
    """Return the statements that compute earnings in dependency order, as of a run.

    A simulation knows all facts that it is given.
    """
    values = parameters(replace(run, first_reading_at=None, to_batch_seq=0, retracted="0"))
    return [
        PARAMETER.sub(lambda called: values[called[1]], statement)
        for model in _earning_models()
        for statement in statements(model, is_full=True)
    ]


@cache
def _earning_models() -> Sequence[str]:
    manifest = manifest_json()
    models = {node["name"]: node for node in _models(manifest)}
    needed: set[str] = set()
    waiting = {*LAST}
    while waiting:
        needed.add(name := waiting.pop())
        # touched entities are those of a run that continues another
        read = {n for n in _read_by(manifest, models[name]) if not n.startswith("int_touched_")}
        waiting |= read - needed - GIVEN.keys()
    return [model["unique_id"] for name, model in models.items() if name in needed]
