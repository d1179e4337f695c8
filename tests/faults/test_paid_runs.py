"""A worker is killed while a provider that is paid works for it: the provider is paid once.

Real processes by a clock that runs; the provider is a local server in the shapes of Apify.
"""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.factories.tracking import add_account, add_organization
from tests.faults.month import Month, installed, needs_compiler
from tests.fixtures.operational import settings_for
from tests.fixtures.paid import PaidServer, Said, running_paid_server
from tests.warehouse.operational.processes import wait_until
from warehouse.fetch_schedule.claims import LEASE
from warehouse.operational.models import Video
from warehouse.operational.store import operational_store
from warehouse.settings import REPOSITORY

STARTS = datetime(2026, 9, 8, 12, tzinfo=UTC)
POSTS = REPOSITORY / "tests/payloads/apify/tiktok_posts.json"
ITEMS, FOLLOWED = "/v2/datasets/set1/items", "/v2/actor-runs/run1"


def run_is(status: str) -> dict[str, Any]:
    return {"data": {"id": "run1", "status": status, "defaultDatasetId": "set1"}}


class AnyStart(dict[str, Any]):
    """Whatever is not named is the start of a run."""

    def get(self, path: str, _otherwise: Any = None) -> Any:
        return self[path] if path in self else Said(201, run_is("READY"))


@pytest.fixture
def server() -> Iterator[PaidServer]:
    with running_paid_server() as paid:
        posts = json.loads(POSTS.read_text(encoding="utf-8"))
        paid.routes = AnyStart({FOLLOWED: [run_is("SUCCEEDED")], ITEMS: [posts]})
        yield paid


@pytest.fixture
def month(tmp_path: Path) -> Iterator[Month]:
    with installed(tmp_path, STARTS) as month:
        assert month.command(REPOSITORY, "init").returncode == 0
        with operational_store(settings_for(month.home, month.url)) as store:
            organization = add_organization(store, "Acme")
            add_account(store, organization, "demo.creator", platform_user_id="6871947673887454020")
        yield month


def scrape(month: Month, server: PaidServer) -> "subprocess.Popen[bytes]":
    paid = {
        "TRACKER_TIKTOK_PROVIDERS": "apify",
        "TRACKER_APIFY_BASE_URL": server.base_url,
        "TRACKER_APIFY_API_KEY": "apify_api_invented",
    }
    command = [sys.executable, "-m", "orchestration.cli", "scrape"]
    return subprocess.Popen(command, env=month.environment(REPOSITORY, **paid))


@pytest.mark.slow
@pytest.mark.soak
@needs_compiler
@pytest.mark.parametrize("at", [FOLLOWED, ITEMS])
def test_a_killed_worker_s_run_is_followed_by_the_next_and_paid_once(
    month: Month, server: PaidServer, at: str
) -> None:
    server.routes[at].insert(0, Said(503, headers={"Retry-After": "600"}))
    with scrape(month, server) as worker:
        wait_until(lambda: at in server.paths)
        worker.send_signal(signal.SIGKILL)
    month.clock.move_to(month.clock.now() + LEASE + timedelta(minutes=1))
    with scrape(month, server) as worker:
        assert worker.wait(120) == 0
    with (
        operational_store(settings_for(month.home, month.url)) as store,
        store.read_session() as session,
    ):
        assert session.query(Video).count() > 0
    started = Counter(str(request.body) for request in server.asked if request.body is not None)
    assert set(started.values()) == {1}
