"""Processes are killed (SIGKILL) at any durable operation of a pipeline run, and at any moment.

Nothing is lost or doubled, and the last publication is served throughout, by a node if there is a
bucket. `make soak` does it a thousand times.
"""

from pathlib import Path

import pytest

from tests.doses import SEED, dose, sample
from tests.fixtures.buckets import Bucket
from tests.fixtures.operational import FreshDatabase
from tests.qa.faults import truth
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.programs import ask, last_answer, program
from warehouse.landing.bucket import open_landing_bucket
from warehouse.publication.shared.fetching import fetch
from warehouse.publication.shared.pointer import pointer
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

KILLS = dose(small=2, full=50)
KINDS = sample(("folder", "bucket"), small=1)
"""Where batches are stored."""
WATCHED_PASSES = dose(small=1, full=3)
"""A publication retires after three."""


def reader_of(installation: Installation) -> Settings:
    """Return the readers' settings: with a bucket, those of an up-to-date node."""
    settings = installation.settings
    bucket = open_landing_bucket(settings)
    if bucket is None:
        return settings
    node = settings.model_copy(update={"home": settings.home.with_name("node")})
    with installation.store.read_session() as session:
        pointed = pointer(session)
    assert pointed is not None
    fetch(node, bucket, pointed)
    return node


def survive(installation: Installation, seed: str, kills: int) -> int:
    """Kill this often, then compare everything with the landings. Return the number of kills."""
    settings, diary = installation.settings, installation.diary.path
    with program("killed_passes", diary, settings=settings) as killer:
        assert ask(killer, {"watch": WATCHED_PASSES}) > 0
        with program("served", settings=reader_of(installation)) as reader:
            killed = ask(killer, {"kill": kills, "seed": seed})
            ask(killer, {"pass": True})
            installation.compare()
            served = last_answer(reader, installation.now().isoformat())
        read = truth.published_marts(reader_of(installation), truth.MARTS)
        incremental = truth.marts_of(settings, truth.MARTS)
        ask(killer, {"rebuild": True})
        refreshed = truth.marts_of(settings, truth.MARTS)
    for mart, rows in refreshed.items():
        truth.assert_same(f"{mart} of readers", rows, read[mart])
        truth.assert_same(f"{mart} of a rebuild", rows, incremental[mart])
    assert served["publications"] > 1
    assert served["reads"] > served["publications"]
    return killed


@pytest.mark.parametrize("kind", KINDS)
def test_kills_lose_and_double_nothing_and_readers_see_no_gap(
    databases: FreshDatabase, tmp_path: Path, kind: str, bucket: Bucket
) -> None:
    place = bucket if kind == "bucket" else None
    with databases() as url, installed(tmp_path / "home", tmp_path, url, place) as installation:
        assert survive(installation, f"{SEED} {kind}", KILLS) == KILLS
