"""GET /analytics of a creator's 30 days, over real HTTP from real server processes.

Every request of a load asks something else, so that none is answered from what was kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from statistics import median
from time import perf_counter
from uuid import UUID

from tests.benchmarks.postgresql import copy_marts
from tests.benchmarks.registry import register
from tests.benchmarks.requests import Load, load
from tests.benchmarks.servers import serving
from tests.benchmarks.world import ENDS, World
from warehouse.operational.store import operational_store
from warehouse.publication.current import CurrentPublication
from warehouse.reading.series.analytics import series
from warehouse.reading.series.beginnings import Beginnings
from warehouse.reading.series.known import Known
from warehouse.reading.series.query import SeriesQuery

SERVERS = {
    "publication": ("orchestration.cli", "serve"),
    "publication, by 2 processes": ("orchestration.cli", "serve", "--workers", "2"),
    "postgresql": ("tests.benchmarks.postgresql_api",),
}
DAYS = timedelta(days=30)
CLIENTS = 8
SECONDS = 10.0
BARE_READS = 500
LAST_DAYS = 60


@dataclass(frozen=True)
class Answers:
    """What one client and CLIENTS clients got from a server."""

    alone: Load
    crowd: Load


def ask_both(world: World) -> tuple[float, dict[str, Answers]]:
    """Return the seconds of the bare query, and what the servers gave by their names."""
    with operational_store(world.settings) as store:
        creators = register(world, store).creators
        copy_marts(world.settings, store)
        return _bare_seconds(world, creators), {
            name: _ask(world, command, creators) for name, command in SERVERS.items()
        }


def _bare_seconds(world: World, creators: Sequence[UUID]) -> float:
    """Return the median seconds of the series' query alone, in one thread of this process."""
    current = CurrentPublication(world.settings.publications_path)
    organization_id = world.organizations[0].organization_id
    times = []
    for place in range(BARE_READS):
        creator = creators[place % len(creators)]
        query = SeriesQuery(
            organization_id=organization_id,
            entity="creator",
            entity_ids=(creator,),
            metric="views",
            from_day=(ENDS - DAYS).date(),
            to_day=ENDS.date(),
            zone="UTC",
        )
        known = Known("UTC", {creator: Beginnings()})
        began = perf_counter()
        with current.cursor() as cursor:
            series(cursor, query, known)
        times.append(perf_counter() - began)
    current.close()
    return median(times)


def _ask(world: World, command: Sequence[str], creators: Sequence[UUID]) -> Answers:
    key = world.organizations[0].api_key
    alone, crowd = _paths(creators, "views"), _paths(creators, "likes", "comments", "shares")
    environment = {
        "TRACKER_HOME": str(world.home),
        "TRACKER_NOW": ENDS.isoformat(),
        "TRACKER_API_RATE_LIMITS": "false",
    }
    log = world.home / "servers.log"
    with serving(command, path="/readyz", log=log, environment=environment) as base_url:
        return Answers(
            alone=load(base_url, alone, key, clients=1, seconds=SECONDS),
            crowd=load(base_url, crowd, key, clients=CLIENTS, seconds=SECONDS),
        )


def _paths(creators: Sequence[UUID], *metrics: str) -> list[str]:
    """Return requests that all differ, for 30 days up to each of many."""
    last_days = [(ENDS - number * timedelta(days=1)).date() for number in range(LAST_DAYS)]
    return [
        f"/api/v2/analytics?entity=creator&entity_id={creator}&metric={metric}"
        f"&from={last - DAYS}&to={last}"
        for last, metric, creator in product(last_days, metrics, creators)
    ]
