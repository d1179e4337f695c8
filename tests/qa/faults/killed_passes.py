"""A program that makes pipeline runs in child processes and kills them on request.

Its argument is the diary. Reads one JSON command a line and answers each with one line: {"watch":
n} makes n whole runs and returns the number of places to kill them; {"kill": n, "seed": s} kills n
children; {"pass": true} makes one whole run; {"rebuild": true} rebuilds the warehouse. A run is the
product's own, as of `tracker run --no-scrape`. Slow imports happen once, before the first fork;
nothing with threads of its own (polars, the client of a bucket) is used before it.
"""

import json
import os
import pickle
import select
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, TextIO

import pytest
import structlog

from orchestration.running.pipeline import run_pipeline
from orchestration.running.progress import silent
from orchestration.running.rebuild import rebuild
from tests.qa.faults.kill_points import Executioner, KillPoint, Place, counted, deaths
from tests.qa.faults.landings import Diary, business_time
from tests.qa.faults.operations import Trace, watched
from tests.qa.faults.passes import (
    compact_without_waiting_for_midnight,
    publish_in_pieces,
    retire_at,
)
from tests.qa.faults.programs import answers_apart
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import operational_store
from warehouse.settings import MAIN_SHARD, Settings

LANDINGS_A_PASS = 2
PASSES_UNTIL_A_POINT_COMES = 3
UNMET_POINTS = 3
"""Percentage of points that may never be reached: a run after a kill differs from a watched one."""


class Pipeline:
    """The working process: lands readings and makes pipeline runs."""

    def __init__(self, diary: Path) -> None:
        self.settings = Settings(_env_file=None)
        self.diary = Diary(diary)

    def work(self, *, passes: int | None = None) -> None:
        """Land and build, `passes` times or for ever."""
        while passes is None or passes:
            self.land(LANDINGS_A_PASS)
            self.run_pipeline_job()
            passes = None if passes is None else passes - 1

    def land(self, landings: int) -> None:
        writer = LandingWriter(open_landing(self.settings))
        for _ in range(landings):
            self.diary.land(writer)

    def run_pipeline_job(self, shard: str = MAIN_SHARD) -> None:
        run_pipeline(self.settings.of_shard(shard).at(self.now()), scrape=False)

    def rebuild(self) -> None:
        with operational_store(self.settings) as store:
            rebuild(self.settings.at(self.now()), store, on_progress=silent)

    def now(self) -> datetime:
        return business_time(len(self.diary.begun()))


class Killer:
    """Starts the working process and kills it."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.places: Counter[Place] = Counter()
        self.seconds_of_pass = 0.0

    def watch(self, passes: int) -> int:
        """Make runs without kills to learn the places; return their number."""
        answer = self.pipeline.diary.path.with_name("places")

        def work() -> None:
            places: Counter[Place] = Counter()
            for _ in range(passes):
                trace = Trace()
                with watched(trace):
                    self.pipeline.work(passes=1)
                places |= counted(trace.operations)
            answer.write_bytes(pickle.dumps(places))

        began = time.monotonic()
        require(forked(work), 0, "watched passes")
        self.seconds_of_pass = (time.monotonic() - began) / passes
        self.places = pickle.loads(answer.read_bytes())
        return len(self.places)

    def kill(self, number: int, seed: str) -> int:
        """Kill `number` times; return the number of kills."""
        planned = deaths(Random(seed), self.places, number)
        random = Random(seed)
        unmet: list[KillPoint] = []
        for death in planned:
            if death is None or not self._killed_at(death):
                unmet += [death] if death else []
                self._kill_at_moment(random.uniform(0, 1.3 * self.seconds_of_pass))
        if len(unmet) * 100 > UNMET_POINTS * max(100, number):
            sys.exit("never came by: " + "; ".join(map(str, unmet)))
        return len(planned)

    def whole(self, work: Callable[[], None]) -> None:
        require(forked(work), 0, "a pass")

    def _killed_at(self, point: KillPoint) -> bool:
        def work() -> None:
            with watched(Executioner(point)):
                self.pipeline.work(passes=PASSES_UNTIL_A_POINT_COMES)

        ended = forked(work)
        if ended != 0:
            require(ended, -signal.SIGKILL, str(point))
        return ended != 0

    def _kill_at_moment(self, seconds: float) -> None:
        ended = forked(self.pipeline.work, seconds=seconds)
        require(ended, -signal.SIGKILL, f"{seconds:.3f} seconds after the start")


def forked(work: Callable[[], Any], *, seconds: float | None = None) -> int:
    """Run `work` in a child, killed after `seconds`; return its exit code."""
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


def forked_beside(
    works: Sequence[Callable[[], Any]], lives: Mapping[int, float] = MappingProxyType({})
) -> list[int]:
    """Run each in a child concurrently; return their exit codes.

    `lives` are the seconds after which some are killed, by index.
    """
    children = []
    began = time.monotonic()
    for work in works:
        children.append(os.fork())
        if children[-1] == 0:
            os._exit(_worked(work))
    for place, seconds in sorted(lives.items(), key=lambda life: life[1]):
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        os.kill(children[place], signal.SIGKILL)  # an ended child stays a zombie until waitpid
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _worked(work: Callable[[], Any]) -> int:
    try:
        work()
    except BaseException:  # a forked child must not continue as the parent
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


def require(code: int, expected: int, what: str) -> None:
    if code != expected:
        sys.exit(f"{what}: exit code {code}, not {expected}")


def _answer(killer: Killer, command: dict[str, Any]) -> int | None:
    if "watch" in command:
        return killer.watch(command["watch"])
    if "kill" in command:
        return killer.kill(command["kill"], command["seed"])
    killer.whole(
        killer.pipeline.rebuild if "rebuild" in command else killer.pipeline.run_pipeline_job
    )
    return None


def without_bucket(settings: Settings) -> Settings:
    """Return the settings with batches in the data folder, which has none yet."""
    return settings.model_copy(update={"landing_url": None})


def loaded(diary: str) -> Pipeline:
    """Return the pipeline after its first run, which does the slow imports."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    patch = pytest.MonkeyPatch()
    compact_without_waiting_for_midnight(patch)
    publish_in_pieces(patch)
    pipeline = Pipeline(Path(diary))
    retire_at(patch, pipeline.now)
    settings, pipeline.settings = pipeline.settings, without_bucket(pipeline.settings)
    pipeline.run_pipeline_job()
    pipeline.settings = settings
    return pipeline


def answering(answer: Callable[[dict[str, Any]], Any], answers: TextIO) -> None:
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


def main(diary: str) -> None:
    answers = answers_apart()
    answering(partial(_answer, Killer(loaded(diary))), answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
