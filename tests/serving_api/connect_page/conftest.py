"""Creators of the made-up world and an API that they can let in."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from scrapers.simulator import AccountType, Kind, RunningSimulator, World, running_simulator
from tests.fixtures.api import Api, Tenant
from tests.fixtures.creators import Creator, connecting_api, creator_of, forget_connections

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def simulator() -> Iterator[RunningSimulator]:
    with running_simulator(World(seed=11, creators=60)) as running:
        running.set_now(NOW)
        yield running


@pytest.fixture(scope="module")
def connecting(api: Api, simulator: RunningSimulator) -> Iterator[Api]:
    with connecting_api(api, simulator) as served:
        yield served


@pytest.fixture(scope="module")
def handles(simulator: RunningSimulator) -> list[str]:
    """Plain creators of TikTok."""
    return simulator.world.handles("tiktok", kind=Kind.PLAIN, at=NOW)


@pytest.fixture(scope="module")
def professional(simulator: RunningSimulator) -> str:
    """A creator whose Instagram account is a professional one."""
    world = simulator.world
    profiles = (
        world.profile("instagram", handle, NOW) for handle in world.handles("instagram", at=NOW)
    )
    return next(
        profile.handle
        for profile in profiles
        if profile
        and profile.account_type is not AccountType.PERSONAL
        and profile.kind is Kind.PLAIN
    )


@pytest.fixture
def creator(connecting: Api, tenant: Tenant, handles: list[str]) -> Iterator[Creator]:
    """A creator with a TikTok account of the first of `handles`, which nobody has connected."""
    forget_connections(connecting)
    with creator_of(connecting, tenant, handles[0]) as made:
        yield made
