"""Processes are killed (SIGKILL) beside whatever a pass does that outlives it, and at any moment.

Nothing is lost, nothing is doubled, and the last publication is served all the while.
`make faults` does it a thousand times with a seed of its own.
"""

import os
from pathlib import Path

import pytest

from tests.faults import truth
from tests.faults.installation import Installation, installed
from tests.faults.programs import ask, ended, program
from tests.fixtures.buckets import Bucket, bucket
from tests.fixtures.operational import FreshDatabase

__all__ = ["bucket"]

KILLS = int(os.environ.get("FAULTS_KILLS", "50"))
SEED = os.environ.get("FAULTS_SEED", "1")
KINDS = ("folder", "bucket")
"""Where batches lie; the kinds share the kills."""
SERIES = 50
"""Kills after which everything is compared."""
WATCHED_PASSES = 3
"""So many until a publication retires."""


def survive(installation: Installation, seed: str, kills: int) -> int:
    """Kill in series; after each, compare everything with what was landed. Return the kills."""
    settings, diary = installation.settings, installation.diary.path
    killed = 0
    with program("killed_passes", diary, settings=settings) as killer:
        assert ask(killer, {"watch": WATCHED_PASSES}) > 0
        with program("served", settings=settings) as reader:
            for begun in range(0, kills, SERIES):
                series = {"kill": min(SERIES, kills - begun), "seed": f"{seed} {begun}"}
                killed += ask(killer, series)
                ask(killer, {"pass": True})
                installation.compare()
            served = ended(reader)
        incremental = truth.marts_of(settings, truth.MARTS)
        ask(killer, {"rebuild": True})
        refreshed = truth.marts_of(settings, truth.MARTS)
    for mart, rows in refreshed.items():
        truth.assert_same(f"{mart} of a rebuild", rows, incremental[mart])
    assert served["publications"] > 1
    assert served["reads"] > served["publications"]
    return killed


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEED])
@pytest.mark.parametrize("kind", KINDS)
def test_kills_lose_and_double_nothing_and_readers_notice_nothing(
    databases: FreshDatabase, tmp_path: Path, seed: str, kind: str, bucket: Bucket
) -> None:
    place = bucket if kind == "bucket" else None
    kills = KILLS // len(KINDS)
    with databases() as url, installed(tmp_path / "home", tmp_path, url, place) as installation:
        assert survive(installation, seed, kills) == kills
