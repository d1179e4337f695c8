"""GET /analytics of a creator's 30 days, over real HTTP from real server processes.

All requests of a load differ, so no answer comes from the cache. A publication's data about an
entity is cached: its days are read once, whatever range is requested.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from uuid import UUID

from tests.qa.benchmarks.registry import register
from tests.qa.benchmarks.requests import Load, load
from tests.qa.benchmarks.servers import processor_seconds, serving
from tests.qa.benchmarks.world import ENDS, World
from warehouse.operational.store import operational_store

SERVERS = {
    "publication": ("orchestration.cli", "serve"),
    "publication, by 2 processes": ("orchestration.cli", "serve", "--workers", "2"),
}
DAYS = timedelta(days=30)
CLIENTS = 8
SECONDS = 10.0
LAST_DAYS = 60


@dataclass(frozen=True)
class Answers:
    """The loads of one client and of CLIENTS clients on a server."""

    alone: Load
    crowd: Load
    processor_seconds: float
    """The server's processor time per answer to the crowd; unlike time, it is stable on a busy
    machine.

    0 for several processes, which do not report it.
    """


def ask_all(world: World) -> dict[str, Answers]:
    with operational_store(world.settings) as store:
        creators = register(world, store)
        return {name: _ask(world, command, creators) for name, command in SERVERS.items()}


def _ask(world: World, command: Sequence[str], creators: Sequence[UUID]) -> Answers:
    key = world.organizations[0].api_key
    for_one, for_all = _paths(creators, "views"), _paths(creators, "likes", "comments", "shares")
    environment = {
        "TRACKER_HOME": str(world.home),
        "TRACKER_NOW": ENDS.isoformat(),
        "TRACKER_API_RATE_LIMITS": "false",
    }
    log = world.home / "servers.log"
    with serving(command, path="/readyz", log=log, environment=environment) as base_url:
        alone = load(base_url, for_one, key, clients=1, seconds=SECONDS)
        before = processor_seconds(base_url)
        crowd = load(base_url, for_all, key, clients=CLIENTS, seconds=SECONDS)
        return Answers(alone, crowd, (processor_seconds(base_url) - before) / crowd.answers)


def _paths(creators: Sequence[UUID], *metrics: str) -> list[str]:
    """Return distinct requests, each for 30 days up to one of many days."""
    last_days = [(ENDS - number * timedelta(days=1)).date() for number in range(LAST_DAYS)]
    return [
        f"/api/v2/analytics?entity=creator&entity_id={creator}&metric={metric}"
        f"&from={last - DAYS}&to={last}"
        for last, metric, creator in product(last_days, metrics, creators)
    ]
