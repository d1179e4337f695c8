"""Models that only observe (`observes` in their meta): looks, freshness, coverage, forecasts.

Nothing that people are paid or decide by is made of them. Where a data test of one fails, that one
and what is made of it stay as they were published, and all else is published.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dbt.artifacts.resources.types import NodeType
from dbt.contracts.graph.manifest import Manifest

from warehouse.catalogue.models import PUBLISHED

WARNS = "warn"
"""The status, and the severity, of a data test that stops nothing."""


def observes(node: Mapping[str, Any]) -> bool:
    """Tell whether a node of manifest.json is a model that only observes."""
    return bool(node["config"].get("meta", {}).get("observes"))


def let_tests_warn(manifest: Manifest) -> None:
    """Let the data tests of models that only observe warn, where those of others fail."""
    for node in manifest.nodes.values():
        about = manifest.nodes.get(getattr(node, "attached_node", None) or "")
        if node.resource_type == NodeType.Test and about and about.config.meta.get("observes"):
            node.config.severity = WARNS


def unsound_tables(manifest: Mapping[str, Any], warned: Iterable[str]) -> frozenset[str]:
    """Return the published tables that tests which warned are about, and those made of them.

    `manifest` is dbt's manifest.json, `warned` are unique ids of tests.
    """
    models = {manifest["nodes"][test]["attached_node"] for test in warned}
    waiting = [*models]
    while waiting:
        made = {
            child for child in manifest["child_map"][waiting.pop()] if child.startswith("model.")
        }
        waiting += made - models
        models |= made
    nodes = (manifest["nodes"][model] for model in models)
    return frozenset(node["name"] for node in nodes if node["fqn"][1] in PUBLISHED)
