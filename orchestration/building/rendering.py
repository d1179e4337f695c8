"""dbt's parser and renderer, of which `manifests` caches what they return."""

import json
import pickle
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from dbt.artifacts.resources.types import NodeType
from dbt.contracts.graph.manifest import Manifest
from dbt.parser.manifest import extended_mashumaro_encoder, extended_mashumuro_decoder

from orchestration.building import project_cache
from orchestration.building.dbt_command import UNBUILT, invoke
from orchestration.building.manifests import RunRow, statements_for
from orchestration.building.observing import WARNS
from orchestration.building.written_nodes import write
from warehouse.catalogue.meanings import project


def parsed() -> Manifest:
    """Return a fresh copy of the parsed project, since dbt changes it."""
    manifest: Manifest = pickle.loads(_pickled())  # noqa: S301 (our own, of this process)
    return manifest


def written_for(run: RunRow) -> Manifest:
    """Return the parsed project, with this run's statements in each node of a build."""
    manifest = parsed()
    for unique_id, written in statements_for(run).items():
        write(manifest.nodes[unique_id], written)
    return manifest


@cache
def _pickled() -> bytes:
    """Return the parsed project pickled: a copy is four times as fast as dbt's own."""
    parsed = project_cache.made_once("parsed", lambda: parse()[0])
    manifest = Manifest.from_msgpack(parsed, decoder=extended_mashumuro_decoder)
    _let_tests_warn(manifest)
    return pickle.dumps(manifest)


def _let_tests_warn(manifest: Manifest) -> None:
    """Set the severity of data tests of observing models to `warn`."""
    for node in manifest.nodes.values():
        about = manifest.nodes.get(getattr(node, "attached_node", None) or "")
        if node.resource_type == NodeType.Test and about and about.config.meta.get("observes"):
            node.config.severity = WARNS


@cache
def parse() -> tuple[bytes, bytes]:
    """Return the parsed project in dbt's own form, and as manifest.json."""
    with TemporaryDirectory(prefix="tracker-dbt-") as folder:
        state = Path(folder)
        warehouse = state / "warehouse.duckdb"
        manifest = invoke("parse", "--write-json", warehouse=warehouse, state=state).result
        written = json.loads((state / "target" / "manifest.json").read_bytes())
    _describe_columns(written["nodes"])
    return manifest.to_msgpack(extended_mashumaro_encoder), json.dumps(written).encode()


def _describe_columns(nodes: Mapping[str, Any]) -> None:
    """Give columns without a description that of the same column upstream."""
    for node in nodes.values():
        if node["resource_type"] == "model":
            for name, column in node["columns"].items():
                column["description"] = project().column_meaning(node["name"], name)


def render(row: RunRow) -> bytes:
    """Return the statements that dbt executes by node for a run of this row, as JSON.

    A node that dbt could not render is left out; the run that meets it reports why.
    """
    manifest = parsed()
    with TemporaryDirectory(prefix="tracker-dbt-") as folder:
        warehouse = Path(folder) / "warehouse.duckdb"
        _begin(warehouse, row)
        invoke("build", *UNBUILT, warehouse=warehouse, state=Path(folder), manifest=manifest)
    return json.dumps(manifest.flat_graph["statements"]).encode()


def _begin(warehouse: Path, row: RunRow) -> None:
    """Write a warehouse that has only this row of control.run."""
    columns = ", ".join(f"cast(? as varchar) as {column}" for column in row)
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("create schema control")
        connection.execute(f"create table control.run as select {columns}", list(row.values()))
