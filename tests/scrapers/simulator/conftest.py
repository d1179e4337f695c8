"""A small world, and its sites in process: no sockets, a clock that stands still."""

import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from scrapers.simulator import World, simulator_app

NOON = datetime(2026, 9, 10, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
def world() -> World:
    return World(seed=11, creators=400)


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    app = simulator_app(world, lambda: NOON)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://simulator") as client:
        yield client


def scripts(page: str, attributes: str) -> list[Any]:
    """The JSON of every script element with these attributes, in order."""
    texts = re.findall(rf"<script [^>]*{attributes}[^>]*>(.*?)</script>", page, re.DOTALL)
    return [json.loads(text) for text in texts]
