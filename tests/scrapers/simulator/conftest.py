"""A small simulated world."""

from datetime import UTC, datetime

import pytest

from scrapers.simulator import World

NOON = datetime(2026, 9, 10, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def world() -> World:
    return World(seed=11, creators=400)
