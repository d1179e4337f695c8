"""From dbt's manifest to asset specs and check specs, both keyed by dbt's unique id."""

from collections.abc import Mapping
from typing import Any

from dagster import AssetCheckSpec, AssetKey, AssetSpec
from dagster_dbt import DagsterDbtTranslator, build_dbt_asset_specs

Manifest = Mapping[str, Any]


class Translator(DagsterDbtTranslator):  # type: ignore[misc]  # an untyped package's class
    """Models are named by layer and name, sources by the asset that fills them."""

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> AssetKey:
        """Return e.g. marts/video_daily, raw/video_snapshots."""
        if dbt_resource_props["resource_type"] == "source":
            return AssetKey([dbt_resource_props["source_name"], dbt_resource_props["name"]])
        return AssetKey([_layer(dbt_resource_props), dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Return the layer: staging, intermediate, marts."""
        return _layer(dbt_resource_props)

    def get_description(self, dbt_resource_props: Mapping[str, Any]) -> str:
        """Return the model's documented grain and meaning, without its SQL."""
        return str(dbt_resource_props.get("description") or "")


def model_specs(manifest: Manifest) -> dict[str, AssetSpec]:
    """Return one spec a model."""
    specs = build_dbt_asset_specs(manifest=manifest, dagster_dbt_translator=Translator())
    return {spec.metadata["dagster_dbt/unique_id"]: spec for spec in specs}


def check_specs(manifest: Manifest) -> dict[str, AssetCheckSpec]:
    """Return one check a data test; blocking unless its severity is `warn`."""
    tests = {
        test_id: node
        for test_id, node in manifest["nodes"].items()
        if node["resource_type"] == "test"
    }
    return {
        test_id: AssetCheckSpec(
            name=node["name"],
            asset=Translator().get_asset_key(_tested(manifest, test_id)),
            description=node.get("description") or None,
            blocking=(node["config"].get("severity") or "error").lower() == "error",
        )
        for test_id, node in tests.items()
    }


def _layer(node: Mapping[str, Any]) -> str:
    return str(node["fqn"][1])


def _tested(manifest: Manifest, test_id: str) -> Mapping[str, Any]:
    """Return the model a test is attached to; of a test on several, the first by name."""
    node = manifest["nodes"][test_id]
    parents = sorted(p for p in manifest["parent_map"][test_id] if p in manifest["nodes"])
    model: Mapping[str, Any] = manifest["nodes"][node.get("attached_node") or parents[0]]
    return model
