"""Where a process dies: the named steps of a pass, and how to let it die at one of them.

The product knows nothing of this: functions are wrapped from outside, in the process that dies.
A step is `module:function before|after`; the names are those under which the callers find them.
"""

import importlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

BOTH = ("before", "after")
BEFORE = ("before",)
AFTER = ("after",)

FOLDERS = "warehouse.landing.folders"
PASS = "tests.faults.passes"
DBT_STATEMENT = "dbt.adapters.duckdb.environments.local:DuckDBCursorWrapper.execute"

STEPS: dict[str, dict[str, tuple[tuple[str, ...], int]]] = {
    "landing": {
        "warehouse.landing.writer:landed_frame": (AFTER, 3),
        "warehouse.landing.writer:write_frames": (BOTH, 2),
        "polars:DataFrame.write_parquet": (BOTH, 6),
        f"{FOLDERS}:_sync_files": (BOTH, 2),
        f"{FOLDERS}:sync": (AFTER, 6),
        "pathlib:Path.rename": (BOTH, 2),
    },
    "registration": {
        "warehouse.registration.once:_claim": (AFTER, 2),
        "warehouse.registration.register:stage": (AFTER, 2),
        "warehouse.registration.register:decide_batch": (BOTH, 2),
        "warehouse.registration.registry:add_new_videos": (AFTER, 2),
        "warehouse.registration.looks:finish_jobs": (AFTER, 2),
        "warehouse.registration.once:write_frames": (BOTH, 2),
        "warehouse.operational.session:WriteSession.commit": (BOTH, 2),
        "warehouse.registration.register:register_once": (AFTER, 2),
        f"{FOLDERS}:remove": (BOTH, 2),
        "shutil:rmtree": (BOTH, 4),
    },
    "operational copy": {
        "warehouse.connection:create_tables": (AFTER, 1),
        "warehouse.raw.operational_copy:_copy": (BOTH, 9),
        "warehouse.raw.operational_copy:fill_zone_offsets": (BOTH, 1),
        f"{PASS}:copy_operational": (AFTER, 1),
    },
    "ingestion": {
        "warehouse.raw.ingest:insert_file": (BOTH, 6),
        "warehouse.raw.ingest:insert_batch": (BOTH, 2),
        "warehouse.raw.ingest:archive": (BOTH, 2),
        "warehouse.landing.archive:write_records": (AFTER, 2),
        f"{FOLDERS}:move": (BOTH, 2),
        "warehouse.landing.compaction:_compact_day": (BOTH, 1),
        "warehouse.landing.compaction:_concatenate": (AFTER, 3),
        f"{FOLDERS}:remove": (BOTH, 4),
        "shutil:rmtree": (BOTH, 8),
        f"{PASS}:ingest_registered": (AFTER, 1),
    },
    "dbt": {
        f"{PASS}:begin_run": (BOTH, 1),
        DBT_STATEMENT: (BOTH, 90),
        f"{PASS}:build": (AFTER, 1),
    },
    "publication": {
        "warehouse.publication.publish:_write_marts": (BOTH, 1),
        "warehouse.publication.marts:_copy_whole": (AFTER, 8),
        "warehouse.publication.marts:_copy_month": (BOTH, 3),
        "warehouse.publication.publish:complete": (BOTH, 1),
        "warehouse.publication.publish:create_views": (AFTER, 1),
        "warehouse.publication.layout:_make_current": (BOTH, 1),
        "warehouse.publication.publish:retire": (BOTH, 1),
        "pathlib:Path.symlink_to": (BOTH, 2),
        f"{PASS}:advance": (BOTH, 1),
        "warehouse.control.run:keep_past": (BOTH, 1),
    },
}
"""By part of a pass: when a function kills, and the latest call at which it surely comes."""

CHEAP = ("landing", "registration", "operational copy", "ingestion")


@dataclass(frozen=True)
class Step:
    """One place to die at: the `call`-th call of a function."""

    part: str
    function: str
    when: str
    call: int

    def __str__(self) -> str:
        return f"{self.part}: {self.when} call {self.call} of {self.function}"


RANDOM_MOMENT = None
"""Not a step: the process is killed from outside, whatever it is doing."""


def deaths(random: Random, number: int) -> list[Step | None]:
    """Return `number` deaths in random order: every step, random moments, cheap steps again."""
    steps: list[Step | None] = [
        Step(part, function, when, random.randint(1, calls))
        for part, functions in STEPS.items()
        for function, (whens, calls) in functions.items()
        for when in whens
    ]
    again = [step for step in steps if step is not None and step.part in CHEAP]
    rest = max(0, number - len(steps))
    moments = [RANDOM_MOMENT] * (rest // 4)
    planned = [*steps, *moments, *random.choices(again, k=rest - len(moments))]
    random.shuffle(planned)
    return planned[:number]


@contextmanager
def at_step(function: str, do: Callable[[], object]) -> Iterator[None]:
    """Call `do` before each call of the function, in the block."""
    owner, name = _place(function)
    original: Callable[..., Any] = getattr(owner, name)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        do()
        return original(*arguments, **named)

    setattr(owner, name, interrupted)
    try:
        yield
    finally:
        setattr(owner, name, original)


def die_at(step: Step) -> None:
    """Wrap the step's function so that this process is killed there."""
    owner, name = _place(step.function)
    function: Callable[..., Any] = getattr(owner, name)
    calls = count(1)

    def deadly(*arguments: Any, **named: Any) -> Any:
        is_last = next(calls) == step.call
        if is_last and step.when == "before":
            _die()
        result = function(*arguments, **named)
        if is_last:
            _die()
        return result

    setattr(owner, name, deadly)


def _place(function: str) -> tuple[Any, str]:
    module, _, path = function.partition(":")
    owner: Any = importlib.import_module(module)
    *classes, name = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return owner, name


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
