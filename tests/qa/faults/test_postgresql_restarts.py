"""PostgreSQL goes away and comes back: during a pipeline run and during API requests.

The server is the test's own, killed as in a crash or stopped as for a restart. A run fails with a
clear error or retries; the next one catches up. The API recovers by itself.
"""

import asyncio
import io
import shutil
import signal
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from os import kill
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from orchestration.cli import scrape
from orchestration.resources import providers
from orchestration.running.progress import silent
from orchestration.scraping.failures import LOST_DATABASE
from tests.doses import sample
from tests.factories.tracking import add_organization
from tests.fixtures.api import running_api
from tests.orchestration.own_provider import OwnProvider
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.steps import PASS, at_step
from tests.warehouse.operational.processes import lives, postmaster_pid, wait_until
from warehouse.logs import configure_logs
from warehouse.operational.pipeline_signs import show_scraper
from warehouse.operational.server import embedded_server
from warehouse.operational.store import operational_store

pytestmark = pytest.mark.slow

STEPS = [
    "warehouse.registration.register:decide_batches",
    "warehouse.registration.once:write_frames",
    "warehouse.landing.folders:remove",
    "warehouse.raw.operational_copy:follow_tables",
    f"{PASS}:ingest_registered",
]
STOPPED = [STEPS[0], STEPS[3]]
"""Steps with a clean stop, which is reported: to psycopg in a transaction, and to ADBC."""


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with an embedded server of its own, and its first publication."""
    # PostgreSQL's user cannot enter pytest's own folder.
    home = Path(tempfile.mkdtemp(prefix="tracker tests-"))
    with installed(home, tmp_path_factory.mktemp("diary")) as installation:
        installation.land(2)
        installation.run_pipeline_job()
        yield installation
    shutil.rmtree(home)


def server_of(installation: Installation) -> Path:
    return installation.settings.home_path / "postgres"


def stop(installation: Installation, how: signal.Signals) -> None:
    """End the server by a signal to the postmaster; return once all its processes are gone."""
    folder = server_of(installation)
    kill(postmaster_pid(folder), how)
    wait_until(lambda: not lives(folder))


@pytest.fixture
def start(embedded: Installation) -> Iterator[Callable[[], None]]:
    """Start the server again, as any other user of it does."""
    with ExitStack() as users:

        def use() -> None:
            users.enter_context(embedded_server(server_of(embedded)))

        yield use


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    before = structlog.get_config()
    stream = io.StringIO()
    configure_logs(stream)
    yield stream
    structlog.configure(**before)


@pytest.mark.parametrize(
    ("step", "how"),
    sample(
        [*((step, signal.SIGKILL) for step in STEPS), *((step, signal.SIGINT) for step in STOPPED)],
        small=1,
    ),
)
def test_a_run_reports_a_restart_of_postgresql_and_the_next_one_catches_up(
    embedded: Installation, start: Callable[[], None], step: str, how: signal.Signals
) -> None:
    before = embedded.served()
    embedded.land()
    done: list[str] = []

    def restart_once() -> None:
        if not done:
            done.append(step)
            stop(embedded, how)
            start()

    with at_step(step, restart_once):
        try:
            embedded.run_pipeline_job()
        except LOST_DATABASE:
            assert embedded.served() == before
            embedded.run_pipeline_job()
    assert done
    embedded.compare()
    assert embedded.served().as_of > before.as_of


async def test_a_worker_that_stays_outlives_a_restart(
    embedded: Installation, start: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def open_own(*_: object) -> AsyncIterator[OwnProvider]:
        yield OwnProvider()

    class OverError(Exception):
        """The end of the test's worker."""

    ticks: list[str] = []
    fetch_platform = scrape._fetch

    async def watched(*given: Any) -> dict[str, int]:
        if given[-1] != "tiktok":
            await asyncio.Event().wait()
        if ticks == ["lost", "made"]:
            raise OverError
        if not ticks:
            stop(embedded, signal.SIGKILL)
        try:
            outcomes = await fetch_platform(*given)
        except Exception:
            ticks.append("lost")
            start()
            raise
        ticks.append("made")
        return outcomes

    monkeypatch.setattr(providers, "open_provider", open_own)
    with operational_store(embedded.settings) as store:
        fetch = partial(watched, embedded.settings, store, silent)
        with pytest.raises(OverError):
            await scrape._stay(fetch, 0.001, partial(show_scraper, store, "one"))


@contextmanager
def asking(ask: Callable[[], None]) -> Iterator[None]:
    """Let four threads send requests repeatedly during the block."""
    enough = threading.Event()

    def keep_asking() -> None:
        while not enough.is_set():
            ask()

    threads = [threading.Thread(target=keep_asking) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        enough.set()
        for thread in threads:
            thread.join()


def test_the_api_answers_again_by_itself(
    embedded: Installation, start: Callable[[], None], log: io.StringIO
) -> None:
    made = add_organization(embedded.store, "Acme")
    statuses: list[int] = []
    afterwards: list[int] = []
    is_back = threading.Event()
    settings = embedded.settings.model_copy(update={"api_rate_limits": False})
    with running_api(settings, embedded.store) as api, api.client(made.api_key) as client:

        def ask() -> None:
            answers = afterwards if is_back.is_set() else statuses
            answers.append(client.get("/creators").status_code)

        def state(path: str) -> int:
            return httpx.get(f"{api.base_url}/{path}", trust_env=False, verify=False).status_code

        with asking(ask):
            wait_until(lambda: 200 in statuses)
            stop(embedded, signal.SIGKILL)
            wait_until(lambda: statuses[-1] != 200)
            assert (state("healthz"), state("readyz")) == (200, 503)
            start()
            down = len(statuses)
            wait_until(lambda: 200 in statuses[down:])
            is_back.set()
            wait_until(lambda: len(afterwards) >= 8)
        assert set(afterwards) == {200}
        assert state("readyz") == 200
    assert set(statuses) == {200, 503}
    assert "PostgreSQL is away" in log.getvalue()


def test_a_write_that_failed_without_postgresql_succeeds_when_sent_again(
    embedded: Installation, start: Callable[[], None], log: io.StringIO
) -> None:
    made = add_organization(embedded.store, "Acme")
    path = f"/projects/{made.project_id}/campaigns"
    request = {"json": {"name": "Spring"}, "headers": {"Idempotency-Key": "once"}}
    with running_api(embedded.settings, embedded.store) as api, api.client(made.api_key) as client:
        stop(embedded, signal.SIGINT)
        refused = client.post(path, **request)
        start()
        done = client.post(path, **request)
        repeated = client.post(path, **request)
    assert (refused.status_code, refused.json()["meta"]["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"] == "5"
    assert done.status_code == 201
    assert "Idempotency-Replay" not in done.headers
    assert repeated.headers["Idempotency-Replay"] == "true"
    assert log.getvalue().count("PostgreSQL is away") == 1
