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
    """Settings with PostgreSQL, which local publications do not need."""
    return settings_for(tmp_path / "home", database_url)


@pytest.fixture
def builder(
    settings: Settings,
    store: OperationalStore,
    warehouse: duckdb.DuckDBPyConnection,
    bucket: Bucket,
    proxy: FaultyBucket,
) -> Builder:
    """A building machine with its own prefix in the bucket."""
    chosen = {"landing_url": f"s3://{bucket.name}/{uuid7()}", "s3_endpoint_url": proxy.url}
    return Builder(
        bucket.settings(settings).model_copy(update=chosen), store, warehouse, proxy=proxy
    )
