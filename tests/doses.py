"""How many random or repeated cases a run has, and its seed.

`make test` and `make slow` run a small dose with a seed of the commit; `make soak` runs the full
dose, in parts with seeds of their own. `SEED=` and `DOSE=full` set both by hand.
"""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

T = TypeVar("T")
REPOSITORY = Path(__file__).parent.parent
SEED_BITS = 32


def _seed_of_commit() -> int:
    """Return the first bits of the commit's id, 1 outside a checkout."""
    command = ["git", "rev-parse", "HEAD"]
    done = subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    return int(done.stdout[: SEED_BITS // 4] or "1", 16)


IS_FULL = os.environ.get("DOSE") == "full"
SEED = int(os.environ.get("SEED") or _seed_of_commit())
TRIED_SEED = SEED if IS_FULL else 1
"""For worlds that few seeds were tried on: `make soak` tries others."""


def dose(small: int, full: int) -> int:
    """Return the value for this run: `full` in `make soak`, else `small`."""
    return full if IS_FULL else small


def sample(cases: Sequence[T], small: int) -> Sequence[T]:
    """Return all cases in `make soak`, else so many random ones by the seed."""
    return cases if IS_FULL else Random(SEED).sample(cases, small)
