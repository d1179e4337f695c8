"""dbt's parsed project and its rendered SQL, cached per version of the project.

Parsing takes seconds, and dbt renders most models slower than DuckDB computes them. SQL depends on
a run only through the row of control.run. So dbt renders it once for a row of placeholders, and
each run fills in its values. The SQL of two runs differs only in these values if the same columns
are null and the flags are equal: that is the shape of a run.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from types import ModuleType
from typing import Any

from orchestration.building import project_cache
from warehouse.control import Run
from warehouse.simulation.inputs import GIVEN

RunRow = Mapping[str, str | None]
"""The row of control.run, each value as text."""

FLAGS = frozenset({"is_full_refresh", "follows_unfinished"})
"""Columns that decide what the SQL is, but are not part of it."""

AFTER_THE_FIRST = ("previous_as_of", "backfill_from", "backfill_to")
"""Columns that are null in a run that computes everything."""

PLACEHOLDER = re.compile(r"@run\.(\w+)@")


def manifest_json() -> dict[str, Any]:
    """Return the parsed project as in manifest.json, from which asset specs are made."""
    read: dict[str, Any] = json.loads(
        project_cache.made_once("manifest.json", lambda: _rendering().parse()[1])
    )
    return read


def statements_for(run: RunRow) -> dict[str, list[str]]:
    of_nodes: dict[str, list[str]] = json.loads(filled(_statements(_shape(run)), run))
    return of_nodes


def filled(statements: str, run: RunRow) -> str:
    """Return statements with their placeholders replaced by the values of a run."""
    return PLACEHOLDER.sub(lambda placeholder: run[placeholder[1]] or "", statements)


def of_a_full_refresh() -> dict[str, list[str]]:
    """Return the statements of each node for a full refresh, with placeholders."""
    row = dict.fromkeys((field.name for field in fields(Run)), "")
    begins = {**row, "is_full_refresh": "true", "follows_unfinished": "false"}
    of_nodes: dict[str, list[str]] = json.loads(
        _statements(_shape({**begins, **dict.fromkeys(AFTER_THE_FIRST)}))
    )
    return of_nodes


def _shape(run: RunRow) -> str:
    """Return the row of placeholders for all runs of this shape, as JSON."""
    decided = {
        column: value if value is None or column in FLAGS else f"@run.{column}@"
        for column, value in run.items()
    }
    return json.dumps({**decided, "is_to_come": "true"}, sort_keys=True)


@cache
def _statements(shape: str) -> str:
    name = hashlib.sha256(shape.encode()).hexdigest()
    return project_cache.made_once(name, lambda: _rendering().render(json.loads(shape))).decode()


def _rendering() -> ModuleType:
    """Load dbt: only processes that build or find an empty cache need it, and it takes a second."""
    from orchestration.building import rendering  # noqa: PLC0415

    return rendering


Node = Mapping[str, Any]

LAST = ("payout_costs", "payout_holds")
"""The models that depend on all others of a simulation."""

OF_A_SIMULATION = {"first_reading_at": "-infinity", "to_batch_seq": "0", "retracted": "0"}
"""A simulation knows all facts that it is given."""


def earning_statements(run: Run) -> Sequence[str]:
    """Return the statements in dependency order, as of a run."""
    written = project_cache.made_once("earning", _written).decode()
    values = {"as_of": run.as_of.isoformat(), **OF_A_SIMULATION}
    statements: Sequence[str] = json.loads(filled(written, values))
    return statements


def _written() -> bytes:
    models = {
        node["name"]: node
        for node in manifest_json()["nodes"].values()
        if node["resource_type"] == "model"
    }
    needs: dict[str, set[str]] = {}
    waiting = [*LAST]
    while waiting:
        name = waiting.pop()
        if name not in needs and name not in GIVEN:
            needs[name] = _read_by(models[name])
            waiting += needs[name]
    statements = of_a_full_refresh()
    ordered = [name for name in TopologicalSorter(needs).static_order() if name in needs]
    listed = [statement for name in ordered for statement in statements[models[name]["unique_id"]]]
    return json.dumps(listed).encode()


def _read_by(model: Node) -> set[str]:
    """Return the models that a model reads, without those that select touched entities."""
    read = (node.split(".") for node in model["depends_on"]["nodes"])
    names = {name for kind, *_, name in read if kind == "model"}
    return {name for name in names if not name.startswith("int_touched_")}
