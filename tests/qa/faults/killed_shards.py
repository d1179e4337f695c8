"""A program whose workers build several shards concurrently while some are killed.

Arguments: the diary, and the shards, last the one that gives members away. Reads one JSON command a
line and answers each with one line: {"watch": true} lets the giver make a run and returns the
number of places to kill it; {"kill": n, "seed": s} continues until n workers were killed, and
returns the number of rounds; {"pass": true} lets each make a whole run, the giver after the others;
{"pass": shard} only one. Readings are landed before each round, which begins once all are done.
"""

import pickle
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from random import Random
from typing import Any

from tests.qa.faults.kill_points import Executioner, KillPoint, Place, counted, deaths
from tests.qa.faults.killed_passes import (
    Pipeline,
    answering,
    forked,
    forked_beside,
    loaded,
    require,
)
from tests.qa.faults.operations import Trace, watched
from tests.qa.faults.programs import answers_apart

LANDINGS_A_ROUND = 6
"""42 hours: four rounds make a week."""
KILLED_OF_A_ROUND = 2
BESIDE_OTHERS = 3
"""The most that a concurrent run takes, relative to a single one; limits the random moments."""
UNKILLED_ROUNDS = 20
"""The limit of rounds without a kill, above which the points must be wrong."""


class Workers:
    """The workers of all shards and their kills."""

    def __init__(self, pipeline: Pipeline, shards: list[str]) -> None:
        self.pipeline = pipeline
        self.shards = shards
        self.places: Counter[Place] = Counter()
        self.seconds_of_pass = 0.0

    def watch(self) -> int:
        """Let the giver make a run without kills; learn the places."""
        answer = self.pipeline.diary.path.with_name("places")

        def work() -> None:
            trace = Trace()
            with watched(trace):
                self.pipeline.run_pipeline_job(self.shards[-1])
            answer.write_bytes(pickle.dumps(counted(trace.operations)))

        self._land()
        began = time.monotonic()
        require(forked(work), 0, "the first pass")
        self.seconds_of_pass = time.monotonic() - began
        self.places = pickle.loads(answer.read_bytes())
        return len(self.places)

    def kill(self, number: int, seed: str) -> int:
        """Make rounds until this many workers were killed; return the number of rounds."""
        random = Random(seed)
        planned = deaths(random, self.places, number + KILLED_OF_A_ROUND * UNKILLED_ROUNDS)
        killed = rounds = 0
        while killed < number:
            killed += self._round(random, planned, number - killed)
            rounds += 1
            require(int(rounds > number + UNKILLED_ROUNDS), 0, "points that never come")
        return rounds

    def _round(self, random: Random, planned: list[KillPoint | None], most: int) -> int:
        """Land, and let all make a run, some until they are killed; return the number of kills."""
        self._land()
        chosen = random.sample(range(len(self.shards)), min(KILLED_OF_A_ROUND, most))
        doomed = {at: planned.pop() for at in chosen}
        lives = {
            at: random.uniform(0, BESIDE_OTHERS * self.seconds_of_pass)
            for at, point in doomed.items()
            if point is None
        }
        works = [self._pass_of(shard, doomed.get(at)) for at, shard in enumerate(self.shards)]
        ended = forked_beside(works, lives)
        for shard, code in zip(self.shards, ended, strict=True):
            require(code if code != -signal.SIGKILL else 0, 0, f"a pass of {shard}")
        return ended.count(-signal.SIGKILL)

    def whole(self, shard: str | None = None) -> None:
        """Let one worker make a whole run, or all of them, with the giver last."""
        if shard is None:
            *receivers, giver = map(self._pass_of, self.shards)
            require(max(map(abs, forked_beside(receivers))), 0, "last passes")
            require(forked(giver), 0, "the last pass")
        else:
            require(forked(self._pass_of(shard)), 0, f"a pass of {shard}")

    def _pass_of(self, shard: str, dies_at: KillPoint | None = None) -> Callable[[], None]:
        def work() -> None:
            with watched(Executioner(dies_at)) if dies_at else nullcontext():
                self.pipeline.run_pipeline_job(shard)

        return work

    def _land(self) -> None:
        require(forked(partial(self.pipeline.land, LANDINGS_A_ROUND)), 0, "a landing")


def _answer(workers: Workers, command: dict[str, Any]) -> int | None:
    if "watch" in command:
        return workers.watch()
    if "kill" in command:
        return workers.kill(command["kill"], command["seed"])
    workers.whole(None if command["pass"] is True else command["pass"])
    return None


def main(diary: str, *shards: str) -> None:
    answers = answers_apart()
    answering(partial(_answer, Workers(loaded(diary), list(shards))), answers)


if __name__ == "__main__":
    main(*sys.argv[1:])
