"""Profiles a second from a site that takes its time, against what its connections allow at most."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx

from scrapers.outcomes import Outcome
from scrapers.provider import Provider
from scrapers.registry import build_provider
from scrapers.snapshots import AccountTarget
from scrapers.transport.pacing import Pace
from tests.qa.benchmarks.child import Watch, measured
from tests.qa.benchmarks.servers import serving

PLATFORM = "tiktok"
CREATORS = 4000
"""Among them are more than PROFILES with nothing unusual."""
PROFILES = 2000
LATENCY_MS = 50
UNPACED = 1e9
"""Requests a second: the connections are the limit, not the pace."""
NOW = datetime(2026, 7, 15, tzinfo=UTC)


@dataclass(frozen=True)
class Throughput:
    """Profiles read in a second over so many connections; `limit` is what the latency allows."""

    connections: int
    profiles_a_second: float
    cpu_ms_a_profile: float

    @property
    def limit(self) -> float:
        """One profile a connection every LATENCY_MS."""
        return self.connections * 1000 / LATENCY_MS


@contextmanager
def slow_simulator(log: Path) -> Iterator[str]:
    """Yield the URL of a simulator in a process of its own, every answer of which is late."""
    program = ("scrapers.simulator", "--creators", str(CREATORS))
    with serving(program, path="/_simulator/clock", log=log) as base_url:
        httpx.put(f"{base_url}/_simulator/clock", json={"now": NOW.isoformat()}).raise_for_status()
        late = {"latency_ms": LATENCY_MS}
        httpx.put(f"{base_url}/_simulator/faults", json=late).raise_for_status()
        yield base_url


def throughput(simulator: str, connections: int, profiles: int = PROFILES) -> Throughput:
    """Read profiles over so many connections, in a process of its own."""
    took = measured(read_profiles, simulator, connections, profiles)
    return Throughput(connections, profiles / took.seconds, took.cpu_seconds * 1000 / profiles)


def read_profiles(watch: Watch, simulator: str, connections: int, profiles: int) -> None:
    """Read each profile once, after a few to open the connections."""
    query = {"platform": PLATFORM, "limit": str(profiles), "kind": "plain"}
    handles = httpx.get(f"{simulator}/_simulator/creators", params=query).json()["handles"]
    asyncio.run(_read(watch, simulator, connections, handles))


async def _read(watch: Watch, simulator: str, connections: int, handles: list[str]) -> None:
    provider = build_provider(
        PLATFORM,
        provider="web",
        base_url=f"{simulator}/{PLATFORM}",
        pace=Pace(connections, UNPACED),
        clock=lambda: NOW,
    )
    await _read_all(provider, handles[:connections], connections)
    with watch.running():
        await _read_all(provider, handles, connections)
    await provider.aclose()


async def _read_all(provider: Provider, handles: list[str], workers: int) -> None:
    waiting = iter(handles)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(_work(provider, waiting))


async def _work(provider: Provider, waiting: Iterator[str]) -> None:
    for handle in waiting:
        report = await provider.profile(AccountTarget(platform=PLATFORM, handle=handle))
        if report.outcome is not Outcome.OK:
            raise RuntimeError(f"{handle}: {report.outcome}: {report.detail}")
