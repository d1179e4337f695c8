"""Creators of the simulated world and an API that can connect their accounts."""

from collections.abc import Iterator

import pytest

from scrapers.simulator import Kind, RunningSimulator
from tests.fixtures.api import Api, Tenant
from tests.fixtures.creators import Creator, connecting_api, creator_of, forget_connections
from tests.fixtures.simulated import NOW, fault, professional_of, simulator

__all__ = ["fault", "simulator"]


@pytest.fixture(scope="module")
def connecting(api: Api, simulator: RunningSimulator) -> Iterator[Api]:
    with connecting_api(api, simulator) as served:
        yield served


@pytest.fixture(scope="module")
def handles(simulator: RunningSimulator) -> list[str]:
    """Ordinary TikTok creators."""
    return simulator.world.handles("tiktok", kind=Kind.PLAIN, at=NOW)


@pytest.fixture(scope="module")
def professional(simulator: RunningSimulator) -> str:
    return professional_of(simulator.world)


@pytest.fixture
def creator(connecting: Api, tenant: Tenant, handles: list[str]) -> Iterator[Creator]:
    """A creator with an unconnected TikTok account of the first of `handles`."""
    forget_connections(connecting)
    with creator_of(connecting, tenant, handles[0]) as made:
        yield made
