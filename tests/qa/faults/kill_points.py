"""Where a process is killed: before or after any durable operation of a watched pipeline run.

The code itself defines the points, so new code adds its own. A point is a kind of operation at a
place in the code, and the number of the call there. Syncs are excluded: the kernel survives a kill,
so nothing differs between before and after (see `durability`).
"""

import os
import signal
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from tests.qa.faults.operations import Operation

Place = tuple[str, tuple[str, ...]]
MOMENT = None
"""No point: the process is killed from outside at a random moment."""
POINTS_A_MOMENT = 4
SIDES = ("before", "after")


@dataclass(frozen=True)
class KillPoint:
    """The `call`-th operation of a kind at a place."""

    place: Place
    call: int
    when: str

    def __str__(self) -> str:
        kind, functions = self.place
        return f"{self.when} {kind} {self.call} in {' > '.join(functions) or 'a thread'}"


def place_of(operation: Operation) -> Place | None:
    """Return where an operation happens, or None if a kill there has no effect."""
    if operation.kind in {"fsync", "duckdb begin"}:
        return None
    return operation.kind, operation.place


def counted(operations: Iterable[Operation]) -> Counter[Place]:
    return Counter(place for operation in operations if (place := place_of(operation)))


def deaths(random: Random, places: Counter[Place], number: int) -> list[KillPoint | None]:
    """Return `number` deaths in random order.

    Every place that names, removes or commits something comes first, once: the states before and
    after it differ. Then all places follow on both sides, repeatedly, with statements of unfinished
    transactions and random moments.
    """
    points = [
        KillPoint(place, random.randint(1, calls), random.choice(SIDES))
        for place, calls in sorted(places.items())
        if is_told_apart(place)
    ]
    random.shuffle(points)
    result: list[KillPoint | None] = points[:number]
    while len(result) < number:
        sides = [(place, side) for place in sorted(places) for side in SIDES]
        random.shuffle(sides)
        for at, (place, side) in enumerate(sides):
            result += [MOMENT] if at % POINTS_A_MOMENT == 0 else []
            result.append(KillPoint(place, random.randint(1, places[place]), side))
    result = result[:number]
    random.shuffle(result)
    return result


def is_told_apart(place: Place) -> bool:
    """Whether each operation of the place changes the state on disk."""
    kind, _ = place
    return kind in {"postgresql commit", "duckdb commit", "duckdb checkpoint"} or not (
        kind.startswith("duckdb")
    )


class Executioner:
    def __init__(self, point: KillPoint) -> None:
        self._point = point
        self._calls = 0

    def before(self, operation: Operation) -> None:
        if place_of(operation) == self._point.place:
            self._calls += 1
            self._end("before")

    def after(self, operation: Operation) -> None:
        if place_of(operation) == self._point.place:
            self._end("after")

    def _end(self, when: str) -> None:
        if (when, self._calls) == (self._point.when, self._point.call):
            os.kill(os.getpid(), signal.SIGKILL)
