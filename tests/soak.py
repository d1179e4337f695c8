"""`make soak`: the full doses of what is random or repeated, part by part.

Parts come in an order that follows from the seed, and none begins after the time is over. Passed
parts are noted below `.pytest_cache/soak`, so that the same seed goes on where it was stopped.
Exits with 1 where a part failed; its output is beside those notes.
"""

import os
import shlex
import subprocess
import sys
import time
from argparse import ArgumentParser
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
    "kills, batches in a folder": (10, "tests/faults/test_kills.py -k folder"),
    "kills, batches in a bucket": (10, "tests/faults/test_kills.py -k bucket"),
    "killed workers": (5, "tests/faults/test_killed_workers.py"),
    "killed workers of shards": (5, "tests/faults/test_killed_shards.py"),
    "PostgreSQL restarts": (1, "tests/faults/test_postgresql_restarts.py"),
    "full disks": (1, "tests/faults/test_disk_full.py"),
    "cluster": (1, "tests/cluster/test_cluster.py"),
    "growth": (1, "tests/dbt_project/test_growth.py -k work_grows"),
    "histories": (20, f"{HISTORIES} -m hypothesis"),
    "histories that reach back": (10, "tests/dbt_project/test_reaching_back.py"),
    "accepted writes": (25, "tests/faults/test_accepted_writes.py -k random"),
    "untouched models": (5, "tests/dbt_project/test_untouched.py -k make_everything"),
    "shards": (5, "tests/dbt_project/test_shards.py"),
    "properties": (10, f"{OTHERS} -m hypothesis --ignore=tests/warehouse/reading"),
    "schemathesis": (5, "tests/contract/test_schemathesis.py"),
    "pages": (1, "tests/browser/test_pages.py"),
}
"""How many parts of a kind there are, each with a seed of its own, and the tests of one."""
MUTANT_PARTS = 40
SHOWN_LINES = 60


@dataclass(frozen=True)
class Part:
    """A command of Python modules that has to end with 0."""

    name: str
    command: tuple[str, ...]
    seed: int

    @property
    def log(self) -> Path:
        """Where its output goes."""
        return NOTES / f"{self.name.replace(' ', '-')}.log"

    def run(self) -> tuple[int, float]:
        """Run it; return its exit code and how many seconds it took."""
        began = time.monotonic()
        env = {**os.environ, "SEED": str(self.seed), "DOSE": "full"}
        with self.log.open("wb") as log:
            done = subprocess.run(
                [sys.executable, "-m", *self.command],
                cwd=REPOSITORY,
                env=env,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return done.returncode, time.monotonic() - began


def parts(seed: int) -> list[Part]:
    """Return all parts, in the order of a seed."""
    listed = [
        Part(f"{kind} {number}", (*PYTEST, *tests.split()), seed + number)
        for kind, (count, tests) in REPEATED.items()
        for number in range(1, count + 1)
    ]
    listed += [
        Part(f"mutants {number}", ("tests.mutants", "--part", f"{number}/{MUTANT_PARTS}"), seed)
        for number in range(1, MUTANT_PARTS + 1)
    ]
    Random(seed).shuffle(listed)
    return listed


def soak(waiting: Sequence[Part], minutes: float, jobs: int, passed: Path) -> int:
    """Run parts side by side, none begun after the time is over; return how many failed."""
    end, ended, failed = time.monotonic() + 60 * minutes, 0, 0

    def run(part: Part) -> tuple[Part, int, float] | None:
        return (part, *part.run()) if time.monotonic() < end else None

    with ThreadPool(jobs) as pool:
        for part, code, seconds in filter(None, pool.imap_unordered(run, waiting)):
            ended += 1
            verdict = f"ended with {code}" if code else "passed"
            report(f"{ended:3} of {len(waiting)}  {seconds:5.0f} s  {part.name}: {verdict}")
            if code:
                failed += 1
                report(*part.log.read_text(errors="replace").splitlines()[-SHOWN_LINES:])
                report(f"Repeat: SEED={part.seed} DOSE=full python -m {shlex.join(part.command)}")
            else:
                with passed.open("a") as notes:
                    notes.write(f"{part.name}\n")
    report(f"{ended - failed} passed, {failed} failed, {len(waiting) - ended} not begun")
    return failed


def report(*lines: str) -> None:
    """Print lines at once, also into a pipe."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def main() -> int:
    """Read the arguments and run what has not passed with this seed."""
    parser = ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=inf, help="begin no part after so many")
    parser.add_argument("--only", default="", metavar="TEXT", help="parts whose name holds TEXT")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parts at a time")
    parser.add_argument("--list", action="store_true", help="name the parts in their order")
    arguments = parser.parse_args()
    NOTES.mkdir(parents=True, exist_ok=True)
    passed = NOTES / f"passed-{SEED}"
    done = set(passed.read_text().splitlines()) if passed.exists() else set()
    waiting = [
        part for part in parts(SEED) if arguments.only in part.name and part.name not in done
    ]
    report(f"SEED={SEED}: {len(waiting)} parts to run, {len(done)} passed before")
    if arguments.list:
        report(*(part.name for part in waiting))
        return 0
    return 1 if soak(waiting, arguments.minutes, arguments.jobs, passed) else 0


if __name__ == "__main__":
    sys.exit(main())
