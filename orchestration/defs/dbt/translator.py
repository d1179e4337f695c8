"""Asset specs of the marts from dbt's manifest.

Staging and intermediate models are not assets: a mart depends on the tables and marts behind them.
The past from which a run continues is left out too: it comes from the last run's marts, and a
graph has no cycles.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dagster import AssetKey, AssetSpec, TableColumn, TableSchema

from warehouse.catalogue.models import PUBLISHED
from warehouse.catalogue.past import PAST

Manifest = Mapping[str, Any]
THE_PAST = {table.name for table in PAST}


def mart_specs(manifest: Manifest) -> dict[str, AssetSpec]:
    """Return one spec per mart, by dbt's unique ids."""
    return {mart: _spec(manifest, mart) for mart in manifest["nodes"] if _is_mart(manifest, mart)}


def _spec(manifest: Manifest, mart: str) -> AssetSpec:
    """Return e.g. marts/video_daily in the group of its layer, with its documentation."""
    node = manifest["nodes"][mart]
    columns = [
        TableColumn(column["name"], column["data_type"], column["description"])
        for column in node["columns"].values()
    ]
    return AssetSpec(
        _asset_key(node),
        deps=sorted({_asset_key(parent) for parent in _assets_behind(manifest, mart)}),
        group_name=_layer(node),
        description=node["description"],
        kinds={"dbt", "duckdb"},
        code_version=node["checksum"]["checksum"],
        metadata={
            "dagster/column_schema": TableSchema(columns),
            "dagster/table_name": f"{node['database']}.{node['schema']}.{node['name']}",
        },
    )


def mart_of(manifest: Manifest, test_id: str, model: str | None) -> str | None:
    """Return the mart that a data test is about, or None if it tests models below the marts.

    A test of several marts belongs to the first by name.
    """
    about = [model] if model else sorted(manifest["parent_map"][test_id])
    return next((node for node in about if _is_mart(manifest, node)), None)


def _asset_key(node: Mapping[str, Any]) -> AssetKey:
    """Return the layer and name of a model, or the asset that fills a source."""
    folder = node["source_name"] if node["resource_type"] == "source" else _layer(node)
    return AssetKey([folder, node["name"]])


def _assets_behind(manifest: Manifest, model: str) -> Iterator[Mapping[str, Any]]:
    waiting, seen = list(manifest["parent_map"][model]), set()
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        if parent in manifest["sources"]:
            if manifest["sources"][parent]["name"] not in THE_PAST:
                yield manifest["sources"][parent]
        elif _is_mart(manifest, parent):
            yield manifest["nodes"][parent]
        else:
            waiting += manifest["parent_map"][parent]


def _is_mart(manifest: Manifest, node: str) -> bool:
    return node.startswith("model.") and _layer(manifest["nodes"][node]) in PUBLISHED


def _layer(node: Mapping[str, Any]) -> str:
    return str(node["fqn"][1])
