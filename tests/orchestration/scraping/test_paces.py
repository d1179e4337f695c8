"""Processes that request from one host share one pace through PostgreSQL."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from orchestration.resources.paces import SharedKeeper
from orchestration.resources.providers import open_provider
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget
from scrapers.transport.hosts import Host, HostState
from scrapers.transport.pacing import LEASE_SECONDS, Share, leased
from tests.fixtures.http_server import serving
from warehouse.operational.store import OperationalStore
from warehouse.scrape_jobs.pauses import paused_hosts
from warehouse.settings import Settings

RATE = 5.0
REPOSITORY = Path(__file__).parents[3]
DEMO = AccountTarget(platform="tiktok", handle="demo.creator")


class CountingSite:
    """A host on loopback that records its request times; it answers with `status`."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, float]] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.base_url = ""
        self.changed = threading.Condition()

    def wait_until_asked(self, path: str, times: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.times_of(path)) >= times, timeout=180)

    def times_of(self, path: str) -> list[float]:
        return [at for address, at in self.asked if address == path]


@pytest.fixture
def site() -> Iterator[CountingSite]:
    site = CountingSite()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with site.changed:
                site.asked.append((self.path, time.monotonic()))
                site.changed.notify_all()
            self.send_response(site.status)
            for name, value in site.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with serving(Handler) as site.base_url:
        yield site


@contextmanager
def asking(settings: Settings, site: CountingSite, number: int) -> Iterator[list[Any]]:
    """Start this many processes, each ready after one request."""
    arguments = {
        "home": str(settings.home),
        "database_url": settings.database_url and settings.database_url.get_secret_value(),
    }
    command = [sys.executable, "-m", "tests.orchestration.scraping.asking", json.dumps(arguments)]
    started = [
        subprocess.Popen(
            [*command, site.base_url, str(RATE)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(number)
    ]
    try:
        for process in started:
            assert process.stdout
            assert process.stdout.readline() == "ready\n"
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def let_ask(process: "subprocess.Popen[str]", times: int) -> None:
    assert process.stdin
    process.stdin.write(f"{times}\n")
    process.stdin.flush()


@pytest.mark.slow
def test_two_processes_send_what_one_does(settings: Settings, site: CountingSite) -> None:
    """Twenty requests at five a second take four seconds, and only two if each counts alone."""
    with asking(settings, site, 2) as processes:
        for process in processes:
            let_ask(process, 10)
        assert [process.wait() for process in processes] == [0, 0]
    times = site.times_of("/page")
    assert len(times) == 20
    assert times[-1] - times[0] >= 0.75 * 19 / RATE


@pytest.mark.slow
async def test_a_killed_process_delays_others_by_at_most_one_lease(
    settings: Settings, site: CountingSite
) -> None:
    with asking(settings, site, 1) as [doomed]:
        let_ask(doomed, 10_000)
        site.wait_until_asked("/page", 8)
        doomed.kill()
    keeper = SharedKeeper(settings)
    host = Host(keeper, site.base_url.removeprefix("http://"), time.monotonic)
    window = await host.agree(leased("", 1 / RATE, 0.0))
    await keeper.aclose()
    assert window.begin - host.seen_at <= LEASE_SECONDS + 1 / RATE


def scraping(settings: Settings, site: CountingSite, **changes: Any) -> Settings:
    return settings.model_copy(
        update={
            "tiktok_base_url": site.base_url,
            "scrape_requests_per_second": 1000.0,
            **changes,
        }
    )


async def outcome_of_a_fetch(settings: Settings, share: Share | None = None) -> Outcome:
    async with open_provider(settings, "tiktok", share) as provider:
        return (await provider.profile(DEMO)).outcome


async def test_a_pause_applies_to_every_run_that_begins_within_it(
    settings: Settings, site: CountingSite
) -> None:
    site.status, site.headers = 429, {"Retry-After": "600"}
    settings = scraping(settings, site)
    assert await outcome_of_a_fetch(settings) is Outcome.RATE_LIMITED
    request_count = len(site.asked)
    assert await outcome_of_a_fetch(settings) is Outcome.RATE_LIMITED
    of_comments = Share("comments", 500.0)
    assert await outcome_of_a_fetch(settings, of_comments) is Outcome.RATE_LIMITED
    assert len(site.asked) == request_count == 1


async def test_machines_with_their_own_addresses_have_separate_paces(
    settings: Settings, site: CountingSite
) -> None:
    site.status, site.headers = 429, {"Retry-After": "600"}
    for egress in ("north", "south", "north"):
        await outcome_of_a_fetch(scraping(settings, site, scrape_egress=egress))
    assert len(site.asked) == 2


async def test_leases_are_dated_by_the_keeper_and_not_by_this_machine(settings: Settings) -> None:
    keeper = SharedKeeper(settings)
    early, late = Host(keeper, "host", lambda: 5.0), Host(keeper, "host", lambda: 5e8)
    first = await early.agree(leased("", 100.0, 0.0))
    second = await late.agree(leased("", 100.0, 0.0))
    await keeper.aclose()
    assert second.begin == first.end


async def test_stored_paces_are_readable_in_postgresql(
    settings: Settings, store: OperationalStore, site: CountingSite
) -> None:
    site.status = 404
    await outcome_of_a_fetch(scraping(settings, site))
    with store.read_session() as session:
        [(egress, host, state)] = session.execute(text("select * from host_paces"))
    assert (egress, host) == ("", site.base_url.removeprefix("http://"))
    assert HostState.of_json(state).free_at.keys() == {""}
    site.status, site.headers = 429, {"Retry-After": "600"}
    await outcome_of_a_fetch(scraping(settings, site))
    with store.read_session() as session:
        assert paused_hosts(session).keys() == {host}
