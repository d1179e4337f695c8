"""Models that only observe (`observes` in their meta): fetches, freshness, coverage, forecasts.

No payment or decision depends on them. If one or a data test of it fails, that model and its
dependants stay as published, and everything else is published.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from orchestration.building.manifests import manifest_json
from warehouse.catalogue.models import PUBLISHED

WARNS = "warn"
"""Status of a model or data test that fails without stopping a publication."""


def observes(node: Mapping[str, Any]) -> bool:
    return bool(node["config"].get("meta", {}).get("observes"))


def only_warns(node: Mapping[str, Any]) -> bool:
    """Return whether a failing model or data test lets everything else be published."""
    about = manifest_json()["nodes"].get(_about(node))
    return about is not None and observes(about)


def _about(node: Mapping[str, Any]) -> str:
    """Return the model itself, or the model of a data test; "" if it tests several."""
    return (
        node["unique_id"] if node["resource_type"] == "model" else node.get("attached_node")
    ) or ""


def unsound_tables(warned: Iterable[str]) -> frozenset[str]:
    """Return the published tables of models and tests that warned, and their dependants."""
    manifest = manifest_json()
    models = {_about(manifest["nodes"][node]) for node in warned}
    waiting = [*models]
    while waiting:
        made = {
            child for child in manifest["child_map"][waiting.pop()] if child.startswith("model.")
        }
        waiting += made - models
        models |= made
    nodes = (manifest["nodes"][model] for model in models)
    return frozenset(node["name"] for node in nodes if node["fqn"][1] in PUBLISHED)
