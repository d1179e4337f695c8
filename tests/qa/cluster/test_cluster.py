"""Two scrapers' and two builders' data gives the same answers at two nodes and in the lake."""

import shutil
from pathlib import Path

import pytest

from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.cluster.stage import cluster, tenants
from tests.qa.cluster.story import play
from warehouse.operational.store import operational_store

PATIENT_SECONDS = 30
"""A second or two on an idle machine (docs/performance.md); other tests may run beside it."""


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("redis-server") is None,
    reason="redis-server is not installed (Debian: apt-get install redis-server)",
)
def test_days_are_scraped_computed_and_answered_by_six_machines(
    databases: FreshDatabase, tmp_path: Path
) -> None:
    with databases() as url:
        with operational_store(settings_for(tmp_path / "nobody", url)) as store:
            organizations = tenants(store)
        with cluster(tmp_path, url) as (machines, simulator):
            outcome = play(machines, simulator, organizations, url, requests_a_second=10)
    for answers, other_answers in outcome.answers:
        assert answers == other_answers
        by_day, _, videos = answers
        first_day = by_day.answers[0]  # on the second day only some posts were due
        assert first_day.served == first_day.true
        assert len(videos.answers) > 1
    for views in outcome.views:
        assert [views.of_lake] * 2 == views.of_nodes
    assert len({views.of_lake for views in outcome.views}) == len(outcome.views), "each has its own"
    assert outcome.load.requests > 0
    assert outcome.load.failures == []
    assert max(outcome.behind) < PATIENT_SECONDS
