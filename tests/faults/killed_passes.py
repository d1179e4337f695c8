"""A program: makes passes in child processes and kills them, as often as it is told.

Arguments: the diary, and which share of how many of the deaths is this program's. Reads one JSON
command a line and answers each by one line: {"kill": n, "seed": s} kills its share of n children
and tells how many; {"pass": full_refresh} makes one whole pass and tells its seconds. What takes
long to load is loaded once, before the first fork; nothing that keeps threads of its own (polars)
is used before it.
"""

import json
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import structlog

from tests.faults.landings import Diary, business_time
from tests.faults.passes import compact_without_waiting_for_midnight, make_pass
from tests.faults.steps import Step, deaths, die_at
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

LANDINGS_A_PASS = 2
PASSES_UNTIL_A_STEP_COMES = 2


class Pipeline:
    """The process that works: lands readings and makes passes."""

    def __init__(self, diary: Path) -> None:
        self.settings = Settings(_env_file=None)
        self.diary = Diary(diary)

    def work(self, *, passes: int | None = None) -> None:
        """Land and compute, `passes` times or for ever."""
        writer = LandingWriter(self.settings.landing_path)
        while passes is None or passes:
            for _ in range(LANDINGS_A_PASS):
                self.diary.land(writer)
            self.make_pass()
            passes = None if passes is None else passes - 1

    def make_pass(self, *, full_refresh: bool = False) -> None:
        settings = self.settings.at(business_time(len(self.diary.begun())))
        with operational_store(settings) as store:
            make_pass(settings, store, full_refresh=full_refresh)


class Killer:
    """Starts the process that works, and sees it die. `share` of `shares` deaths are its own."""

    def __init__(self, pipeline: Pipeline, share: int, shares: int) -> None:
        self.pipeline = pipeline
        self.share = share
        self.shares = shares
        self.seconds_of_pass = 0.0

    def kill(self, number: int, seed: str) -> int:
        """Kill for this share of `number` deaths; return how often that was."""
        mine = deaths(Random(seed), number)[self.share :: self.shares]
        random = Random(f"{seed} {self.share}")
        for death in mine:
            if death is None:
                self._kill_at_moment(random.uniform(0, 1.3 * self.seconds_of_pass))
            else:
                self._kill_at(death)
        return len(mine)

    def whole_pass(self, *, full_refresh: bool) -> float:
        """Make one pass that nobody kills; return its seconds."""
        began = time.monotonic()
        _require(_forked(lambda: self.pipeline.make_pass(full_refresh=full_refresh)), 0, "a pass")
        return time.monotonic() - began

    def _kill_at(self, step: Step) -> None:
        def work() -> None:
            die_at(step)
            self.pipeline.work(passes=PASSES_UNTIL_A_STEP_COMES)

        _require(_forked(work), -signal.SIGKILL, str(step))

    def _kill_at_moment(self, seconds: float) -> None:
        ended = _forked(self.pipeline.work, seconds=seconds)
        _require(ended, -signal.SIGKILL, f"{seconds:.3f} seconds after the start")


def _forked(work: Callable[[], Any], *, seconds: float | None = None) -> int:
    """Run `work` in a child; kill that after `seconds`; return its exit code."""
    alive, life = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(alive)
        os._exit(_worked(work))
    os.close(life)
    if seconds is not None:
        select.select([alive], [], [], seconds)  # readable once the child is gone
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(alive)
    return os.waitstatus_to_exitcode(status)


def _worked(work: Callable[[], Any]) -> int:
    try:
        work()
    except BaseException:  # a forked child must not go on as its parent
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


def _require(found: int, expected: int, what: str) -> None:
    if found != expected:
        sys.exit(f"{what}: exit code {found}, not {expected}")


def main(diary: str, share: str, shares: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    compact_without_waiting_for_midnight(pytest.MonkeyPatch())
    pipeline = Pipeline(Path(diary))
    pipeline.make_pass()
    killer = Killer(pipeline, int(share), int(shares))
    for line in sys.stdin:
        command = json.loads(line)
        if "kill" in command:
            answer: Any = killer.kill(command["kill"], command["seed"])
        else:
            answer = killer.seconds_of_pass = killer.whole_pass(full_refresh=command["pass"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
