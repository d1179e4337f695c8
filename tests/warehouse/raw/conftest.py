from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import duckdb
import pytest

from warehouse.connection import open_warehouse
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import IngestedBatch, ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

Connection = duckdb.DuckDBPyConnection


def scrape(store: OperationalStore, settings: Settings, **tables: list[dict[str, Any]]) -> UUID:
    """Land and register one batch; return its id."""
    batch_id = LandingWriter(open_landing(settings)).land(**tables)
    [result] = register_landed(store, settings)
    assert result.rejected is None
    return batch_id


@dataclass(frozen=True)
class Home:
    """The store, the landing zone and the warehouse of one test."""

    store: OperationalStore
    settings: Settings
    warehouse: Connection

    def land(self, **tables: list[dict[str, Any]]) -> UUID:
        return LandingWriter(open_landing(self.settings)).land(**tables)

    def scrape(self, **tables: list[dict[str, Any]]) -> UUID:
        return scrape(self.store, self.settings, **tables)

    def ingest(self) -> list[IngestedBatch]:
        return ingest_registered(self.store, self.settings, self.warehouse)


@pytest.fixture
def warehouse(settings: Settings) -> Iterator[Connection]:
    with open_warehouse(settings) as connection:
        yield connection


@pytest.fixture
def home(store: OperationalStore, settings: Settings, warehouse: Connection) -> Home:
    return Home(store, settings, warehouse)
