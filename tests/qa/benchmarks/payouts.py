"""Payouts of 5,000 creators over half a year: the models against one plain script.

Each creator is paid by the day for views, by the week for a goal, and once for each post that
reaches a number of views (sql/payouts.sql).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import duckdb

from orchestration.building.executor import attached, execute
from orchestration.building.manifests import Node, manifest_json
from tests.qa.benchmarks.child import Watch
from tests.qa.benchmarks.models import Unequal, require_green
from tests.qa.benchmarks.publications import last_run
from tests.qa.benchmarks.world import ENDS, ONE_DAY, SQL, World, run_script
from warehouse.catalogue.models import PUBLISHED
from warehouse.connection import open_warehouse
from warehouse.control import Run, begin_run
from warehouse.settings import Settings

SCRIPT = "payouts"
PAID = "paid"
BY_HAND = SQL / "payouts_by_hand.sql"
LAYERS = ("intermediate", *PUBLISHED)
MARKS = "int_video_high_water_marks"
OWED = "criteria_type, creator_id, period_start, subject_id, view_count, amount_cents"


def run_other_models(watch: Watch, home: Path, as_of: datetime) -> None:
    """Begin a run and compute the inputs of the payouts."""
    settings = Settings(home=home, _env_file=None)
    with open_warehouse(settings) as connection:
        run = begin_run(connection, as_of=as_of)
    _, _, others = _models()
    with watch.running():
        _build(settings, run, others)


def run_payout_models(watch: Watch, home: Path) -> None:
    """Compute the payouts of the current run, from the deltas of posts to the written file.

    Builds the remaining models, unmeasured: no later run continues a run that lacks models.
    """
    settings = Settings(home=home, _env_file=None)
    with open_warehouse(settings) as connection:
        run = last_run(connection)
    paying, later, _ = _models()
    with watch.running():
        _build(settings, run, paying)
    _build(settings, run, later)


def run_by_hand(watch: Watch, home: Path, as_of: datetime, days: int, target: Path) -> None:
    """Compute the same amounts plainly into a new DuckDB file; `days` is the history's length."""
    settings = Settings(home=home, _env_file=None)
    config: dict[str, Any] = {
        "threads": settings.duckdb_threads,
        "memory_limit": settings.duckdb_memory_limit,
    }
    target.unlink(missing_ok=True)
    with watch.running(), duckdb.connect(target, config=config) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"attach '{settings.warehouse_path}' as warehouse (read_only)")
        connection.execute("set variable as_of = $as_of", {"as_of": as_of})
        connection.execute("set variable begins = $begins", {"begins": ENDS - days * ONE_DAY})
        connection.execute(BY_HAND.read_text(encoding="utf-8"))
        connection.execute("checkpoint")


def require_equal(home: Path, by_hand: Path) -> None:
    """Raise Unequal unless the script and the models owe each creator the same."""
    settings = Settings(home=home, _env_file=None)
    with duckdb.connect(settings.warehouse_path, read_only=True) as connection:
        connection.execute(f"attach '{by_hand}' as by_hand (read_only)")
        ours, theirs = (
            f"select {OWED} from machinery.payout_earned",
            f"select {OWED} from by_hand.owed",
        )
        for name, left, other in (("the models", ours, theirs), ("the script", theirs, ours)):
            surplus = connection.execute(f"({left}) except all ({other}) limit 3").fetchall()
            if surplus:
                raise Unequal(f"only {name} owe {surplus}")


def everything_paid(world: World, home: Path) -> World:
    copytree(world.home, home, symlinks=True)
    paid = replace(world, home=home)
    with open_warehouse(paid.settings) as connection:
        run_script(connection, PAID)
    return paid


def frozen_accruals(home: Path) -> int:
    settings = Settings(home=home, _env_file=None)
    with duckdb.connect(settings.warehouse_path, read_only=True) as connection:
        [(count,)] = connection.execute(
            "select count(*) from operational.payout_payment_accruals"
        ).fetchall()
    return int(count)


def cpm_periods(home: Path) -> int:
    settings = Settings(home=home, _env_file=None)
    with duckdb.connect(settings.warehouse_path, read_only=True) as connection:
        [(count,)] = connection.execute(
            "select count(*) from intermediate.int_payout_cpm_totals"
        ).fetchall()
    return int(count)


def _build(settings: Settings, run: Run, nodes: Iterable[Node]) -> None:
    with attached(settings) as connection:
        require_green(execute(connection, run, nodes))


def _models() -> Sequence[Sequence[Node]]:
    """Return (payout models with high-water marks, other models that depend on them, all others).

    The script computes the marks too. The second group also has the forecasts, and pays nothing.
    """
    models = [n for n in manifest_json()["nodes"].values() if n["resource_type"] == "model"]
    forecasts = _with_children(models, lambda node: "forecasts" in node["fqn"])
    of_marks = _with_children(models, lambda node: node["name"] == MARKS)
    paying = [
        n
        for n in models
        if n["unique_id"] not in forecasts
        and (n["name"] == MARKS or (n["fqn"][1] in LAYERS and n["fqn"][2] == "payouts"))
    ]
    others = [n for n in models if n["unique_id"] not in forecasts | of_marks and n not in paying]
    return paying, [n for n in models if n not in paying and n not in others], others


def _with_children(models: Iterable[Node], is_root: Callable[[Node], bool]) -> set[str]:
    """Return the ids of the root models and all their descendants; `models` is in graph order."""
    ids: set[str] = set()
    for node in models:
        parents = manifest_json()["parent_map"][node["unique_id"]]
        if is_root(node) or not ids.isdisjoint(parents):
            ids.add(node["unique_id"])
    return ids
