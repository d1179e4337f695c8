"""What two machines looked at and a third one built, two more answer alike, and correctly."""

import shutil
from pathlib import Path

import pytest

from orchestration.cli.demo.story import ZONE
from tests.cluster.stage import cluster
from tests.cluster.story import play
from tests.factories.tracking import add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.operational.store import operational_store


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_a_day_is_scraped_built_and_answered_by_five_machines(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    with databases() as url:
        with operational_store(settings_for(tmp_path / "nobody", url)) as store:
            organization = add_organization(store, "Cluster", ZONE)
        with cluster(tmp_path, url) as (machines, simulator):
            told = play(machines, simulator, organization, url)
    one, other = told.answers
    assert one == other
    by_day, _, videos = one
    first_day = by_day.answers[0]  # on the second one, only some posts were due for a look
    assert first_day.served == first_day.true
    assert len(videos.answers) > 1
    assert told.asked.requests > 0
    assert told.asked.failures == []
    assert max(told.behind) < 10
