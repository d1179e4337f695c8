"""The SQL that computes what structures earn, from facts to costs and holds.

These are the models' own statements of a full refresh. A publication carries them, so that a
simulation computes amounts as the publication did.
"""

import json
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any

from orchestration.building import manifests, project_cache
from warehouse.control import Run
from warehouse.simulation.inputs import GIVEN

Node = Mapping[str, Any]

LAST = ("payout_costs", "payout_holds")
"""The models that depend on all others of a simulation."""

OF_A_SIMULATION = {"first_reading_at": "-infinity", "to_batch_seq": "0"}
"""A simulation knows all facts that it is given."""


def earning_statements(run: Run) -> Sequence[str]:
    """Return the statements in dependency order, as of a run."""
    written = project_cache.made_once("earning", _written).decode()
    values = {"as_of": run.as_of.isoformat(), **OF_A_SIMULATION}
    statements: Sequence[str] = json.loads(manifests.filled(written, values))
    return statements


def _written() -> bytes:
    models = {
        node["name"]: node
        for node in manifests.manifest_json()["nodes"].values()
        if node["resource_type"] == "model"
    }
    needs: dict[str, set[str]] = {}
    waiting = [*LAST]
    while waiting:
        name = waiting.pop()
        if name not in needs and name not in GIVEN:
            needs[name] = _read_by(models[name])
            waiting += needs[name]
    statements = manifests.of_a_full_refresh()
    ordered = [name for name in TopologicalSorter(needs).static_order() if name in needs]
    listed = [statement for name in ordered for statement in statements[models[name]["unique_id"]]]
    return json.dumps(listed).encode()


def _read_by(model: Node) -> set[str]:
    """Return the models that a model reads, without those that select touched entities."""
    read = (node.split(".") for node in model["depends_on"]["nodes"])
    names = {name for kind, *_, name in read if kind == "model"}
    return {name for name in names if not name.startswith("int_touched_")}
