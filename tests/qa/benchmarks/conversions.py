"""Conversions by the batch over real HTTP, into a real server process: how many a second.

Every row has an external id of its own and one of a few hundred targets by handle, as an import
from a shop would send it.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from sqlalchemy import func, select

from tests.qa.benchmarks.report import GIB
from tests.qa.benchmarks.requests import answer
from tests.qa.benchmarks.servers import resident_bytes, serving
from warehouse.operational.migrations import migrate
from warehouse.operational.models import Account, Conversion, ConversionEvent, Creator
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

CONVERSIONS = 100_000
BATCH = 500
CLIENTS = 4
ACCOUNTS = 300
WARM_BATCHES = 8
"""The first batches, which do not count: connections and statements are made."""


@dataclass(frozen=True)
class Recorded:
    """How quickly so many conversions were recorded, and what the server's memory was."""

    conversions: int
    a_second: float
    batch_seconds: float
    bytes_before: float
    bytes_after: float

    @property
    def growth(self) -> float:
        """How many GiB the server grew by while it recorded."""
        return (self.bytes_after - self.bytes_before) / GIB


def record(home: Path, conversions: int) -> Recorded:
    """Record so many conversions in an empty installation at `home`."""
    settings = Settings(home=home, _env_file=None)
    environment = {"TRACKER_HOME": str(home), "TRACKER_API_RATE_LIMITS": "false"}
    with operational_store(settings) as store:
        migrate(store)
        organization = _organization(store)
        command = ("orchestration.cli", "serve")
        log = home / "servers.log"
        with serving(command, path="/healthz", log=log, environment=environment) as base_url:
            recorded = _post_all(base_url, organization, list(_batches(conversions)))
        _require_all(store, conversions + WARM_BATCHES * BATCH)
    return recorded


def _organization(store: OperationalStore) -> NewOrganization:
    with store.write_session() as session:
        made = create_organization(
            session, name="Shop", plan="ultra", analytics_tz="UTC", project_name="Launch"
        )
        of = {"organization_id": made.organization_id, "project_id": made.project_id}
        creator = Creator(**of, display_name="Shop")
        session.add_all([creator, ConversionEvent(**of, key="order", name="Order")])
        session.flush()
        session.add_all(
            Account(**of, creator_id=creator.id, platform="tiktok", handle=f"shop.{number}")
            for number in range(ACCOUNTS)
        )
    return made


def _batches(conversions: int) -> Iterator[bytes]:
    at = datetime(2026, 5, 1, tzinfo=UTC).isoformat()
    for start in range(0, conversions + WARM_BATCHES * BATCH, BATCH):
        rows = [
            {
                "conversion_event_key": "order",
                "platform": "tiktok",
                "handle": f"shop.{number % ACCOUNTS}",
                "external_id": f"order-{number}",
                "value_cents": number % 10_000,
                "source": "shop",
                "occurred_at": at,
            }
            for number in range(start, start + BATCH)
        ]
        yield json.dumps({"conversions": rows}).encode()


def _post_all(base_url: str, organization: NewOrganization, batches: Sequence[bytes]) -> Recorded:
    path = f"/api/v2/projects/{organization.project_id}/conversions"
    counted = batches[WARM_BATCHES:]
    asyncio.run(_post(base_url, path, organization.api_key, batches[:WARM_BATCHES]))
    before, began = resident_bytes(base_url), perf_counter()
    times = asyncio.run(_post(base_url, path, organization.api_key, counted))
    took = perf_counter() - began
    count = len(counted) * BATCH
    middle = sorted(times)[len(times) // 2]
    return Recorded(count, count / took, middle, before, resident_bytes(base_url))


async def _post(base_url: str, path: str, key: str, batches: Sequence[bytes]) -> list[float]:
    """Post the batches over CLIENTS connections; return the seconds of each."""
    shares = [batches[place::CLIENTS] for place in range(CLIENTS)]
    posted = await asyncio.gather(*(_post_share(base_url, path, key, each) for each in shares))
    return [seconds for times in posted for seconds in times]


async def _post_share(base_url: str, path: str, key: str, batches: Sequence[bytes]) -> list[float]:
    address = urlsplit(base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    times = []
    for body in batches:
        began = perf_counter()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        await answer(reader)
        times.append(perf_counter() - began)
    writer.close()
    return times


def _require_all(store: OperationalStore, expected: int) -> None:
    with store.read_session() as session:
        there = session.scalar(select(func.count()).select_from(Conversion))
    if there != expected:
        raise ValueError(f"{there} conversions were recorded, not {expected}")
