"""`make soak` runs the full doses of random or repeated tests, part by part.

The seed determines the order of parts, and none begins after the time is over. A part that exceeds
this by `OVERRUN_MINUTES` is interrupted: it neither passed nor failed. Passed parts are recorded
below `.pytest_cache/soak`, so that the same seed continues where it stopped. Exits with 1 if a part
failed; its output is beside those records.

`--steady` is a selection for CI: only parts whose result should never vary. Their seeds are the
same for every commit; the seed of the run decides which of them run.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from multiprocessing.pool import ThreadPool
from pathlib import Path
from random import Random

from tests.doses import REPOSITORY, SEED

NOTES = REPOSITORY / ".pytest_cache" / "soak"
PYTEST = ("pytest", "-n", "0", "-q", "-x", "-p", "no:cacheprovider")
HISTORIES = "tests/dbt_project tests/warehouse/reading"
OTHERS = "tests/contract tests/scrapers tests/serving_api tests/warehouse"
REPEATED = {
    "kills, batches in a folder": (10, "tests/qa/faults/test_kills.py -k folder"),
    "kills, batches in a bucket": (10, "tests/qa/faults/test_kills.py -k bucket"),
    "killed workers": (5, "tests/qa/faults/test_killed_workers.py"),
    "killed workers of shards": (5, "tests/qa/faults/test_killed_shards.py"),
    "PostgreSQL restarts": (1, "tests/qa/faults/test_postgresql_restarts.py"),
    "full disks": (1, "tests/qa/faults/test_disk_full.py"),
    "rebuilds": (1, "tests/orchestration/recomputing/test_rebuild.py -m soak"),
    "days of kills": (3, "tests/qa/faults/test_month.py"),
    "processes by a clock that runs": (
        1,
        "tests/warehouse/publication/shared/test_faults.py -m soak",
    ),
    "growth": (1, "tests/dbt_project/test_growth.py -k work_grows"),
    "histories": (20, f"{HISTORIES} -m hypothesis"),
    "whole histories": (25, "tests/dbt_project/test_whole_history.py"),
    "accepted writes": (25, "tests/qa/faults/test_accepted_writes.py -k random"),
    "shards": (5, "tests/dbt_project/test_shards.py"),
    "properties": (10, f"{OTHERS} -m hypothesis --ignore=tests/warehouse/reading"),
    "schemathesis": (5, "tests/contract/test_schemathesis.py"),
    "callers of tools": (1, "tests/contract/test_mcp_catalog.py"),
    "routes": (5, "tests/contract/test_every_route.py"),
    "raw rows": (5, "tests/warehouse/raw tests/warehouse/imports/test_kills.py"),
    "fetches": (5, "tests/orchestration/scraping tests/warehouse/fetch_schedule"),
    "publications": (5, "tests/dbt_project/test_published_runs.py"),
    "connections": (1, "tests/serving_api/http/test_connection.py"),
    "pages": (1, "tests/browser"),
}
"""The number of parts of a kind, each with its own seed, and the tests of one."""
STEADY = {
    "growth": 1,
    "processes by a clock that runs": 1,
    "shards": 5,
    "whole histories": 2,
}
"""Kinds without random kills and independent of the machine's speed, with the number of tested
parts.

One of them is a test without a small dose, whose renaming would otherwise go unnoticed.
"""
MUTANT_PARTS = 40
OVERRUN_MINUTES = 6
CLEANING_SECONDS = 60
"""Seconds for an interrupted part to stop its servers."""
SHOWN_LINES = 60


@dataclass(frozen=True)
class Part:
    """A command of Python modules that must exit with 0."""

    name: str
    command: tuple[str, ...]
    seed: int

    @property
    def log(self) -> Path:
        return NOTES / f"{self.name.replace(' ', '-')}.log"

    def run(self, seconds: float | None = None) -> tuple[int | None, float]:
        """Run it; return its exit code (None if interrupted) and its seconds."""
        began = time.monotonic()
        env = {**os.environ, "SEED": str(self.seed), "DOSE": "full"}
        with (
            self.log.open("wb") as log,
            subprocess.Popen(
                [sys.executable, "-m", *self.command],
                cwd=REPOSITORY,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            return _exit_code(process, seconds), time.monotonic() - began


def _exit_code(process: subprocess.Popen[bytes], seconds: float | None) -> int | None:
    """Wait for its end; after `seconds` interrupt it, and kill it if that does not help."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(CLEANING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
    return None


def parts(seed: int, *, steady: bool) -> list[Part]:
    """Return all parts, or the steady ones, in the order of a seed."""
    first = 0 if steady else seed
    listed = [
        Part(f"{kind} {number}", (*PYTEST, *tests.split()), first + number)
        for kind, (count, tests) in REPEATED.items()
        for number in range(1, (STEADY.get(kind, 0) if steady else count) + 1)
    ]
    if not steady:
        listed += [
            Part(
                f"mutants {number}",
                ("tests.qa.mutants", "--part", f"{number}/{MUTANT_PARTS}"),
                seed,
            )
            for number in range(1, MUTANT_PARTS + 1)
        ]
    Random(seed).shuffle(listed)
    return listed


def soak(waiting: Sequence[Part], minutes: float, jobs: int, passed: Path) -> int:
    """Run parts concurrently, none begun after the time is over; return the number of failures."""
    end = time.monotonic() + 60 * minutes
    verdicts: Counter[str] = Counter()

    def run(part: Part) -> tuple[Part, int | None, float] | None:
        left = end - time.monotonic()
        limit = None if left == inf else left + 60 * OVERRUN_MINUTES
        return (part, *part.run(limit)) if left > 0 else None

    with ThreadPool(jobs) as pool:
        for part, code, seconds in filter(None, pool.imap_unordered(run, waiting)):
            verdict = verdict_of(code)
            verdicts[verdict] += 1
            ended = verdicts.total()
            report(f"{ended:3} of {len(waiting)}  {seconds:5.0f} s  {part.name}: {verdict}")
            if verdict == "failed":
                report(*part.log.read_text(errors="replace").splitlines()[-SHOWN_LINES:])
                report(f"Repeat: SEED={part.seed} DOSE=full python -m {shlex.join(part.command)}")
            if verdict == "passed":
                with passed.open("a") as notes:
                    notes.write(f"{part.name}\n")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    report(f"{counts or 'no part ended'}, {len(waiting) - verdicts.total()} not begun")
    return verdicts["failed"]


def verdict_of(code: int | None) -> str:
    if code is None:
        return "interrupted"
    return "failed" if code else "passed"


def report(*lines: str) -> None:
    """Print lines without buffering, also into a pipe."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def main() -> int:
    """Parse the arguments and run the parts that have not passed with this seed."""
    parser = ArgumentParser(prog="python -m tests.qa.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=inf, help="begin no part after so many")
    parser.add_argument("--only", default="", metavar="TEXT", help="parts whose name holds TEXT")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parts at a time")
    parser.add_argument("--steady", action="store_true", help="only parts that always end alike")
    parser.add_argument("--list", action="store_true", help="name the parts in their order")
    arguments = parser.parse_args()
    # Shells make background processes ignore SIGINT, and parts would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    NOTES.mkdir(parents=True, exist_ok=True)
    passed = NOTES / f"passed-{'steady-' if arguments.steady else ''}{SEED}"
    done = set(passed.read_text().splitlines()) if passed.exists() else set()
    waiting = [
        part
        for part in parts(SEED, steady=arguments.steady)
        if arguments.only in part.name and part.name not in done
    ]
    report(f"SEED={SEED}: {len(waiting)} parts to run, {len(done)} passed before")
    if arguments.list:
        report(*(part.name for part in waiting))
        return 0
    return 1 if soak(waiting, arguments.minutes, arguments.jobs, passed) else 0


if __name__ == "__main__":
    sys.exit(main())
