"""Asset specs of the marts from dbt's manifest.

Staging and intermediate models are not assets: a mart depends on the tables and marts behind them.
The past from which a run continues is left out too: it comes from the last run's marts, and a
graph has no cycles.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dagster import AssetKey, AssetSpec
from dagster_dbt import DagsterDbtTranslator, build_dbt_asset_specs

from warehouse.catalogue.models import PUBLISHED
from warehouse.catalogue.past import PAST

Manifest = Mapping[str, Any]
THE_PAST = {table.name for table in PAST}


class Translator(DagsterDbtTranslator):  # type: ignore[misc]  # an untyped package's class
    """Names models by layer and name, and sources by the asset that fills them."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> AssetKey:
        """Return e.g. marts/video_daily or raw/video_snapshots."""
        if dbt_resource_props["resource_type"] == "source":
            return AssetKey([dbt_resource_props["source_name"], dbt_resource_props["name"]])
        return AssetKey([_layer(dbt_resource_props), dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Return the layer, which is the model's folder."""
        return _layer(dbt_resource_props)

    def get_description(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Return the model's documented grain and meaning, without its SQL."""
        return str(dbt_resource_props.get("description") or "")


def mart_specs(manifest: Manifest) -> dict[str, AssetSpec]:
    """Return one spec per mart, by dbt's unique ids."""
    specs = build_dbt_asset_specs(manifest=manifest, dagster_dbt_translator=Translator())
    by_id = {spec.metadata["dagster_dbt/unique_id"]: spec for spec in specs}
    return {
        mart: spec.replace_attributes(deps=sorted(_made_of(manifest, mart)))
        for mart, spec in by_id.items()
        if spec.group_name in PUBLISHED
    }


def mart_of(manifest: Manifest, test_id: str, model: str | None) -> str | None:
    """Return the mart that a data test is about, or None if it tests models below the marts.

    A test of several marts belongs to the first by name.
    """
    about = [model] if model else sorted(manifest["parent_map"][test_id])
    return next((node for node in about if _is_mart(manifest, node)), None)


def _made_of(manifest: Manifest, model: str) -> set[AssetKey]:
    """Return the tables and marts that a model reads, directly or through other models."""
    return {Translator().get_asset_key(node) for node in _assets_behind(manifest, model)}


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
    return node in manifest["nodes"] and _layer(manifest["nodes"][node]) in PUBLISHED


def _layer(node: Mapping[str, Any]) -> str:
    return str(node["fqn"][1])
