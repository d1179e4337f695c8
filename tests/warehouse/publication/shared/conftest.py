"""The machine that builds."""

from pathlib import Path

import duckdb
import pytest

from tests.fixtures.buckets import Bucket
from tests.fixtures.faulty_bucket import FaultyBucket
from tests.fixtures.operational import settings_for
from tests.warehouse.publication.shared.world import Builder
from warehouse.ids import uuid7
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


@pytest.fixture
def settings(tmp_path: Path, database_url: str) -> Settings:
    """Settings with a PostgreSQL, unlike those of publications that stay on one machine."""
    return settings_for(tmp_path / "home", database_url)


@pytest.fixture
def builder(
    settings: Settings,
    store: OperationalStore,
    warehouse: duckdb.DuckDBPyConnection,
    bucket: Bucket,
    proxy: FaultyBucket,
) -> Builder:
    """A machine that builds, below a prefix of the bucket that is the test's own."""
    chosen = {"landing_url": f"s3://{bucket.name}/{uuid7()}", "s3_endpoint_url": proxy.url}
    return Builder(
        bucket.settings(settings).model_copy(update=chosen), store, warehouse, proxy=proxy
    )
