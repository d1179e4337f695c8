"""Small builds with tests: all of it, little or nothing new, and plain dbt; and a small pipeline
run.

This is the cost of each pipeline run apart from its readings, however little is new.
"""

import gc
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from time import process_time

from orchestration.cli.output import say
from orchestration.running.pipeline import run_pipeline
from tests.dbt_project import statements
from tests.dbt_project.harness import Harness, dbt
from tests.dbt_project.histories import History, Step
from tests.factories.history import day, land_day, live_through, track
from tests.factories.tracking import add_organization
from warehouse.control import Run
from warehouse.operational.migrations import migrate
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

ROUNDS = 5
PASSES = 8


def seconds_of_builds(folder: Path) -> dict[str, float]:
    """Return the processor time of each kind of build, as medians of alternating builds.

    The kinds are dbt's own, one that skips nothing, one with a decision of one kind since the last
    published run, and one with nothing new.
    """
    folder.mkdir()
    say("  a first history, built twice")
    harness = Harness(folder)
    for step in History(5, organizations=10, runs=2).steps():
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**step.operational)
        run = harness.run(as_of=step.as_of)
    took: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        say(f"  builds: {number + 1} of {ROUNDS}")
        for name, prepare in KINDS.items():
            prepare(harness, step, number)
            begun = harness.begin(as_of=(run := _later(run)).as_of)
            seconds = _seconds(harness, begun, by_hand=name == DBT)
            took.setdefault(name, []).append(seconds)
            harness.promote(begun)
            begun = harness.begin(as_of=(run := _later(run)).as_of)
            _seconds(harness, begun, by_hand=False)
            harness.promote(begun)
    return {name: median(seconds) for name, seconds in took.items()}


DBT = "dbt build"


def _forget(harness: Harness, _step: Step, _number: int) -> None:
    with harness.connect() as connection:
        connection.execute("delete from control.contents")


def _decide(harness: Harness, step: Step, number: int) -> None:
    """Remove an item from the campaigns, or put it back."""
    harness.decide(campaign_items=step.operational["campaign_items"][(number + 1) % 2 :])


KINDS: dict[str, Callable[[Harness, Step, int], None]] = {
    DBT: _forget,
    "all": _forget,
    "one kind": _decide,
    "nothing": lambda *_: None,
}


def _later(run: Run) -> Run:
    return replace(run, as_of=run.as_of + timedelta(seconds=1))


def seconds_of_pass(home: Path) -> float:
    """Return the least processor time of a pipeline run with a day's readings of a few posts.

    Includes Dagster's own processes.
    """
    settings = Settings(home=home, _env_file=None)
    with operational_store(settings) as store:
        migrate(store)
        organization = add_organization(store, "Acme")
        track(store, organization)
        live_through(settings, 1)
        return min(_seconds_of_pass(settings, number) for number in range(1, 2 + PASSES))


def _seconds_of_pass(settings: Settings, number: int) -> float:
    say(f"  pipeline run: {number} of {1 + PASSES}")
    land_day(settings, number)
    gc.collect()  # of the previous run
    began = _processor_seconds()
    run_pipeline(settings.at(day(number)), scrape=False)
    return _processor_seconds() - began


def _processor_seconds() -> float:
    """Return the processor time of this process and of its ended children."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _seconds(harness: Harness, run: Run, *, by_hand: bool) -> float:
    path = harness.path
    began = process_time()
    if by_hand:
        dbt("build", "--exclude-resource-type", "unit_test", path=path, folder=harness.folder)
    else:
        statements.build(path, run, is_tested=True, skips=True)
    return process_time() - began
