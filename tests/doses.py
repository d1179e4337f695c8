"""How much of what is random or repeated a run does, and the seed that all of it starts from.

`make test` and `make slow` do a small dose with a seed of the commit; `make soak` does the full
one, part by part with seeds of its own. `SEED=` and `DOSE=full` choose both by hand.
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
"""For worlds of which few seeds were tried so far: `make soak` tries others."""


def dose(small: int, full: int) -> int:
    """Return how much to do in this run: `full` in `make soak`, else `small`."""
    return full if IS_FULL else small


def sample(cases: Sequence[T], small: int) -> Sequence[T]:
    """Return all cases in `make soak`, else so many, which the seed chooses."""
    return cases if IS_FULL else Random(SEED).sample(cases, small)
