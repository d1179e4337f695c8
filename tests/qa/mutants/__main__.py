"""`make mutants` inserts small faults one at a time and checks whether tests notice.

Tries the tables' faults, and some generated ones of each listed module, chosen by the seed. Works
in a copy of the tree. Exits with 1 if more than 5% of the tables' mutants are missed or stale, and
with 2 if a test fails without any mutant. Some generated mutants change nothing, so their share is
only reported.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from tests.doses import SEED
from tests.qa.mutants.generated import GENERATED, generated
from tests.qa.mutants.mutant import REPOSITORY, Mutant, StaleMutantError, mutants

MISSED_OF_100 = 5
"""The limit of missed mutants in percent, rounded up to whole mutants."""
LIMIT_SECONDS = 1800
"""More than a mutant's named tests ever take, so only endless ones exceed it."""
ONLY_SLOW = 5
"""Pytest's exit code if no test is selected."""
VERDICTS = {0: "MISSED", 1: "noticed", ONLY_SLOW: "slow"}
"""Verdicts by pytest's exit code. Any other means that the tests could not run."""


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of the tracked and unignored files as they are now."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=REPOSITORY, check=True, capture_output=True, text=True)
    with tempfile.TemporaryDirectory(prefix="tracker-mutants-") as folder:
        for name in filter(None, listed.stdout.split("\0")):
            if (REPOSITORY / name).exists():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(REPOSITORY / name, Path(folder) / name)
        yield Path(folder)


def run_tests(root: Path, tests: Iterable[str], seconds: float | None) -> tuple[int | None, str]:
    """Run tests in the copy up to the first failure, without slow ones as in `make test`.

    Returns pytest's exit code (None after `seconds`) and its output.
    """
    options = ("-q", "-x", "-p", "no:cacheprovider", "-m", "not slow")
    command = [sys.executable, "-m", "pytest", *options, *tests]
    env = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "DOSE": ""}
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=env,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, done.stdout


def verdict(root: Path, mutant: Mutant) -> str:
    """Return the result of a mutant; the copy is restored afterwards."""
    try:
        before = mutant.apply(root)
    except (StaleMutantError, FileNotFoundError) as stale:
        return f"stale: {stale}"
    try:
        code, _ = run_tests(root, mutant.tests, LIMIT_SECONDS)
    finally:
        (root / mutant.file).write_text(before, encoding="utf-8")
    return "endless" if code is None else VERDICTS.get(code, f"tests ended with {code}")


def run(chosen: list[Mutant]) -> int:
    """Try all of them and print a line each; return the exit code."""
    with copied_tree() as root:
        tests = sorted({test for mutant in chosen for test in mutant.tests})
        sys.stdout.write(f"{len(tests)} tests as the code is: ")
        sys.stdout.flush()
        code, printed = run_tests(root, tests, None)
        if code not in {0, ONLY_SLOW}:
            sys.stdout.write("RED. They have to be green before they can notice anything.\n")
            sys.stdout.write(printed)
            return 2
        sys.stdout.write("green\n")
        verdicts = [_told(root, mutant, at, len(chosen)) for at, mutant in enumerate(chosen, 1)]
    of_tables = [
        verdict
        for mutant, verdict in zip(chosen, verdicts, strict=True)
        if mutant.table != GENERATED
    ]
    noticed = of_tables.count("noticed")
    by_operators = verdicts.count("noticed") - noticed
    sys.stdout.write(
        f"{noticed} of {len(of_tables)} of the tables noticed,"
        f" {by_operators} of {len(chosen) - len(of_tables)} generated\n"
    )
    missed = len(of_tables) - noticed
    return 0 if missed <= ceil(len(of_tables) * MISSED_OF_100 / 100) else 1


def _told(root: Path, mutant: Mutant, at: int, of: int) -> str:
    began = time.monotonic()
    outcome = verdict(root, mutant)
    seconds = time.monotonic() - began
    sys.stdout.write(f"{at:3}/{of} {outcome:8} {seconds:5.0f} s  {mutant.name}\n")
    if outcome != "noticed":
        sys.stdout.write(f"      {mutant.file}: {mutant.wrong}\n")
    sys.stdout.flush()
    return outcome


def main() -> int:
    """Parse the arguments, check that all mutants fit, and try the requested ones."""
    parser = ArgumentParser(prog="python -m tests.qa.mutants", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="those whose name holds TEXT")
    parser.add_argument("--part", default="1/1", metavar="N/M", help="every Mth, from the Nth on")
    parser.add_argument("--each", type=int, default=1, help="generated mutants of each module")
    parser.add_argument("--list", action="store_true", help="name them and what would go wrong")
    args = parser.parse_args()
    all_mutants = [*mutants(), *generated(args.each, SEED)]
    chosen = [mutant for mutant in all_mutants if args.only in f"{mutant.table} {mutant.name}"]
    number, _, count = args.part.partition("/")
    chosen = chosen[int(number) - 1 :: int(count)]
    if not chosen:
        parser.error(f"no mutant's name holds {args.only!r}: --list names them all")
    if args.list:
        sys.stdout.writelines(
            f"{mutant.table}: {mutant.name}: {mutant.wrong}\n" for mutant in chosen
        )
        return 0
    return run(chosen)


if __name__ == "__main__":
    sys.exit(main())
