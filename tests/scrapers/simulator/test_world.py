"""The world depends only on seed and time, not on the order of queries."""

import hashlib
import subprocess
import sys
from datetime import timedelta

import pytest

from scrapers.simulator import EPOCH, World

from .conftest import NOON

FINGERPRINT = """
import hashlib
from datetime import datetime
from scrapers.simulator import World
world, at = World(seed=11, creators=400), datetime.fromisoformat("2026-09-10T12:00:00+00:00")
seen = []
for platform in ("tiktok", "instagram"):
    for handle in world.handles(platform)[:15]:
        seen += [world.profile(platform, handle, at), world.posts(platform, handle, at)]
print(hashlib.sha256(repr(seen).encode()).hexdigest())
"""


def fingerprint(world: World) -> str:
    seen: list[object] = []
    for platform in ("tiktok", "instagram"):
        for handle in world.handles(platform)[:15]:
            seen += [world.profile(platform, handle, NOON), world.posts(platform, handle, NOON)]
    return hashlib.sha256(repr(seen).encode()).hexdigest()


class TestDeterminism:
    @pytest.mark.slow
    def test_another_process_with_another_hash_seed_sees_the_same_world(self, world: World) -> None:
        answer = subprocess.run(
            [sys.executable, "-c", FINGERPRINT],
            env={"PYTHONHASHSEED": "4711"},
            capture_output=True,
            text=True,
            check=True,
            cwd=".",
        )
        assert answer.stdout.strip() == fingerprint(world)

    @pytest.mark.slow
    def test_earlier_queries_do_not_matter(self, world: World) -> None:
        fresh = World(seed=11, creators=400)
        for handle in reversed(fresh.handles("tiktok")[:30]):
            fresh.posts("tiktok", handle, EPOCH + timedelta(days=100))
        assert fingerprint(fresh) == fingerprint(world)
