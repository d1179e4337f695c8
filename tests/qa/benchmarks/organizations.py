"""The models over many organizations, beside the same rows in one that has as many projects.

What each model takes is this process's processor time while it is made.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from time import process_time

from orchestration.building import executor
from orchestration.building.manifests import Node
from tests.qa.benchmarks.child import Watch, measured
from tests.qa.benchmarks.models import run_models
from tests.qa.benchmarks.world import ENDS, Size, make_world

LEAST_SECONDS = 0.1
"""Models that take less with one organization are counted together: noise would be most of them."""
THE_REST = "all other models together"

Seconds = dict[str, float]


def seconds_of_models(
    folder: Path, size: Size, organizations: int, projects: int
) -> Mapping[str, float]:
    """Build such a world and return each model's processor time."""
    world = make_world(
        folder / f"of_{organizations}",
        size,
        "payouts",
        tenants={"organizations": organizations, "projects": projects},
    )
    output = folder / f"of_{organizations}.json"
    measured(run_noted, world.home, ENDS, output)
    seconds: Seconds = json.loads(output.read_text(encoding="utf-8"))
    return seconds


def ratios(
    many: Mapping[str, float], single: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the seconds with many organizations and with one, of each model that takes long."""
    long = [model for model, seconds in single.items() if seconds >= LEAST_SECONDS]
    rest = [model for model in many if model not in long]
    together = sum(many[model] for model in rest), sum(single.get(model, 0) for model in rest)
    return {model: (many[model], single[model]) for model in long} | {THE_REST: together}


def run_noted(watch: Watch, home: Path, as_of: datetime, output: Path) -> None:
    """Compute everything and write to `output` what each model took."""
    seconds: Seconds = {}
    make = executor._Build._make

    def noted(build: executor._Build, node: Node) -> tuple[str, int | None]:
        begun = process_time()
        try:
            return make(build, node)
        finally:
            seconds[node["name"]] = process_time() - begun

    executor._Build._make = noted  # type: ignore[method-assign]
    run_models(watch, home, as_of)
    output.write_text(json.dumps(seconds), encoding="utf-8")
