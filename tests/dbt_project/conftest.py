"""A small warehouse that several tests of the project read."""

import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import History


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse after a full refresh and a run that continued it."""
    harness = Harness(tmp_path_factory.mktemp("built"))
    for step in History(5, organizations=10, runs=2).steps():
        for batch in step.batches:
            harness.ingest(**batch)
        harness.decide(**step.operational)
        harness.run(as_of=step.as_of)
    return harness
