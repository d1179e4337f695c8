"""GET /analytics of a creator's last 30 days, over real HTTP from a real server process."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from time import perf_counter
from uuid import UUID

from tests.benchmarks.postgresql_api import copy_marts
from tests.benchmarks.requests import Load, load
from tests.benchmarks.servers import serving
from tests.benchmarks.world import ENDS, World
from warehouse.connection import open_warehouse
from warehouse.operational.models import Creator
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.current import CurrentPublication
from warehouse.reading.analytics import SeriesQuery, series

SERVERS = {
    "publication": ("orchestration.cli", "serve"),
    "postgresql": ("tests.benchmarks.postgresql_api",),
}
DAYS = timedelta(days=30)
CLIENTS = 8
SECONDS = 10.0
BARE_READS = 500


@dataclass(frozen=True)
class Answers:
    """What one client and CLIENTS clients got from a server."""

    alone: Load
    crowd: Load


def ask_both(world: World) -> tuple[float, dict[str, Answers]]:
    """Return the seconds of the bare query, and what the servers gave by their names."""
    with operational_store(world.settings) as store:
        creators = _register_creators(world, store)
        copy_marts(world.settings, store)
        return _bare_seconds(world, creators), {
            name: _ask(world, command, creators) for name, command in SERVERS.items()
        }


def _register_creators(world: World, store: OperationalStore) -> list[UUID]:
    """Make the first organization's creators known to PostgreSQL, which names them in answers."""
    organization = world.organizations[0]
    with open_warehouse(world.settings) as connection:
        rows = connection.execute(
            "select id, organization_id, project_id, display_name from operational.creators"
            " where organization_id = $id order by id",
            {"id": organization.organization_id},
        ).fetchall()
    names = ("id", "organization_id", "project_id", "display_name")
    with store.write_session() as session:
        for row in rows:
            session.merge(Creator(**dict(zip(names, row, strict=True))))
    return [row[0] for row in rows]


def _bare_seconds(world: World, creators: Sequence[UUID]) -> float:
    """Return the median seconds of the series' query alone, in one thread of this process."""
    current = CurrentPublication(world.settings.publications_path)
    organization_id = world.organizations[0].organization_id
    times = []
    for place in range(BARE_READS):
        query = SeriesQuery(
            organization_id=organization_id,
            entity="creator",
            entity_id=creators[place % len(creators)],
            metric="views",
            mode="new",
            granularity="day",
            from_day=(ENDS - DAYS).date(),
            to_day=ENDS.date(),
            zone="UTC",
        )
        began = perf_counter()
        with current.cursor() as cursor:
            series(cursor, query)
        times.append(perf_counter() - began)
    current.close()
    return median(times)


def _ask(world: World, command: Sequence[str], creators: Sequence[UUID]) -> Answers:
    key = world.organizations[0].api_key
    paths = [
        f"/api/v2/analytics?entity=creator&entity_id={creator}&metric=views" for creator in creators
    ]
    environment = {
        "TRACKER_HOME": str(world.home),
        "TRACKER_NOW": ENDS.isoformat(),
        "TRACKER_API_RATE_LIMITS": "false",
    }
    log = world.home / "servers.log"
    with serving(command, path="/readyz", log=log, environment=environment) as base_url:
        return Answers(
            alone=load(base_url, paths, key, clients=1, seconds=SECONDS),
            crowd=load(base_url, paths, key, clients=CLIENTS, seconds=SECONDS),
        )
