"""An installation for fault tests: tracked handles, a diary of landings, and its marts' oracle."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.operational import FreshDatabase
from tests.qa.faults.installation import Installation, installed


@pytest.fixture
def installation(databases: FreshDatabase, tmp_path: Path) -> Iterator[Installation]:
    """A service with a first publication of two landings."""
    with databases() as url, installed(tmp_path / "home", tmp_path, url) as installation:
        installation.land(2)
        installation.run_pipeline_job()
        yield installation
