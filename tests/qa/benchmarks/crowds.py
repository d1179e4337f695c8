"""A server under load: one organization sends too many requests.

It sends batches of creators, forms that wait for a locked row, reads, and short links to a host
that does not answer. Its clients run in a niced process of their own, so that they delay no
measuring client. Each sends again after its answer: a faster server gets more requests, so figures
include their number.
"""

import json
import multiprocessing
import os
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count, cycle
from pathlib import Path
from threading import Event
from time import monotonic, perf_counter
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg

from tests.qa.benchmarks.servers import serving
from tests.qa.benchmarks.world import ENDS, settings_of
from warehouse.operational.migrations import migrate
from warehouse.operational.organizations import NewOrganization, create_organization
from warehouse.operational.store import operational_store

ORGANIZATIONS = 20
ROUNDS = 3
"""How often quiet and busy times alternate, so that other load on the machine affects both."""
QUIET_SECONDS, BUSY_SECONDS = 20.0, 20.0
PACE_SECONDS = 0.05
"""Between the requests of all others together: 20 a second."""
BATCH_CREATORS, BATCH_ACCOUNTS = 50, 20
FORMS, READS, LINKS = 15, 6, 15
MEASURED = {
    "GET /api/v2/me": "get_me",
    "GET /api/v2/creators": "list_creators",
    "POST /api/v2/projects/{project_id}/campaigns": "create_project_campaign",
}
"""The measured requests, with their endpoint names in the server's log."""


@dataclass(frozen=True)
class Served:
    """A server with its database, log and organizations."""

    base_url: str
    dsn: str
    log: Path
    organizations: Sequence[NewOrganization]


@dataclass(frozen=True)
class Answered:
    """The others' answers by request: seconds at the client and in the server, and failures."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {n: [] for n in MEASURED})
    inside: dict[str, list[float]] = field(default_factory=lambda: {n: [] for n in MEASURED})
    failed: list[int] = field(default_factory=list)


def p99(seconds: Sequence[float]) -> float:
    return sorted(seconds)[len(seconds) * 99 // 100]


@contextmanager
def server_in(home: Path, organizations: int, **environment: str) -> Iterator[Served]:
    """Serve this many organizations."""
    home.mkdir(parents=True)
    settings = settings_of(home)
    with operational_store(settings) as store:
        migrate(store)
        with store.write_session() as session:
            made = [
                create_organization(
                    session, name=f"Org {n}", plan="ultra", analytics_tz="UTC", project_name="P"
                )
                for n in range(organizations)
            ]
        all_of = {
            "TRACKER_HOME": str(home),
            "TRACKER_API_RATE_LIMITS": "false",
            "TRACKER_NOW": ENDS.isoformat(),
            **environment,
        }
        log = home / "server.log"
        command = ("orchestration.cli", "serve")
        with serving(command, path="/healthz", log=log, environment=all_of) as base_url:
            yield Served(base_url, store.dsn, log, made)


def answer_beside(home: Path) -> tuple[Answered, Answered, Mapping[str, int]]:
    """Return the others' answers without and with a busy organization, and its counts."""
    alone, beside, results = Answered(), Answered(), Counter[str]()
    with silent_host() as url, server_in(home, ORGANIZATIONS, TRACKER_TIKTOK_BASE_URL=url) as at:
        others = at.organizations[ROUNDS:]
        _measure(at, others, 5.0, Answered())  # warms up the server
        for busy in at.organizations[:ROUNDS]:  # a new one each: a plan's limits allow one round
            _measure(at, others, QUIET_SECONDS, alone)
            with _busy(at, busy, results):
                _measure(at, others, BUSY_SECONDS, beside)
    return alone, beside, results


@contextmanager
def _busy(at: Served, busy: NewOrganization, results: Counter[str]) -> Iterator[None]:
    """Let an organization send too many requests during the block, and add its results."""
    spawned = multiprocessing.get_context("spawn")
    queue, ended = spawned.Queue(), spawned.Event()
    process = spawned.Process(target=_be_busy, args=(at.base_url, at.dsn, busy, ended, queue))
    process.start()
    queue.get()  # the clients have started
    yield
    ended.set()
    results.update(queue.get())
    process.join()


@contextmanager
def silent_host() -> Iterator[str]:
    """Yield the URL of a host that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def _measure(
    at: Served, others: Sequence[NewOrganization], seconds: float, answered: Answered
) -> None:
    """Let the others send requests in turn, PACE_SECONDS apart, without waiting for each other."""

    def ask(number: int, name: str, organization: NewOrganization) -> None:
        method, path = name.split()
        path = path.format(project_id=organization.project_id)
        body = json.dumps({"name": f"Campaign {number}"}) if method == "POST" else ""
        status, spent = _ask(at.base_url, method, path, body, _headers(organization))
        answered.seconds[name].append(spent)
        if status >= 400:
            answered.failed.append(status)

    log_size = at.log.stat().st_size
    until = monotonic() + seconds
    turns = zip(count(), cycle(MEASURED), cycle(others), strict=False)
    pause = Event()
    with ThreadPoolExecutor(40) as pool:
        while monotonic() < until:
            pool.submit(ask, *next(turns))
            pause.wait(PACE_SECONDS)
    _read_log(at.log, log_size, others, answered)


def _read_log(
    log: Path, offset: int, others: Sequence[NewOrganization], answered: Answered
) -> None:
    """Add the times in the server's log after the offset, each from the start of a request."""
    names = {endpoint: name for name, endpoint in MEASURED.items()}
    whose = {str(organization.organization_id) for organization in others}
    with log.open("rb") as lines:
        lines.seek(offset)
        for line in lines:
            entry = json.loads(line) if line.startswith(b"{") else {}
            if entry.get("organization_id") in whose and entry.get("endpoint") in names:
                answered.inside[names[entry["endpoint"]]].append(entry["ms"] / 1000)


def _be_busy(base_url: str, dsn: str, organization: NewOrganization, ended: Any, got: Any) -> None:
    """Send too many requests until `ended`; put the number of answers by kind and status."""
    os.nice(10)
    answers: Counter[str] = Counter()
    headers = _headers(organization)
    project = f"/api/v2/projects/{organization.project_id}"
    made = httpx.post(
        f"{base_url}/api/v2/organizations/{organization.organization_id}/projects",
        json={"name": "Locked"},
        headers=headers,
    ).json()["data"]["id"]
    numbers = count()

    def repeat(kind: str, method: str, path: str, body: Any = None) -> None:
        while not ended.is_set():
            text = json.dumps(body()) if body else ""
            try:
                status, _ = _ask(base_url, method, path, text, headers)
            except (OSError, HTTPException):
                status = 0
            answers[f"{kind} {status}"] += 1

    def batch() -> Any:
        def accounts() -> list[Any]:
            handles = (f"busy.{next(numbers)}" for _ in range(BATCH_ACCOUNTS))
            return [{"platform": "tiktok", "handle": handle} for handle in handles]

        return {"creators": [{"accounts": accounts()} for _ in range(BATCH_CREATORS)]}

    def link() -> Any:
        return {"url": f"https://vm.tiktok.com/ZM{next(numbers)}/"}

    work = [
        *[("batch", "POST", f"{project}/creators", batch)] * 2,
        *[("form", "POST", f"/api/v2/projects/{made}/campaigns", lambda: {"name": "x"})] * FORMS,
        *[("read", "GET", "/api/v2/creators?limit=100")] * READS,
        *[("link", "POST", f"{project}/videos", link)] * LINKS,
    ]
    with psycopg.connect(dsn) as holder, ThreadPoolExecutor(len(work)) as pool:
        holder.execute("select 1 from projects where id = %s for update", [made])
        under_way = [pool.submit(repeat, *each) for each in work]
        got.put("begun")
        for each in under_way:
            each.result()
    got.put(dict(answers))


def _headers(organization: NewOrganization) -> Mapping[str, str]:
    return {
        "Authorization": f"Bearer {organization.api_key}",
        "Content-Type": "application/json",
    }


def _ask(
    base_url: str, method: str, path: str, body: str = "", headers: Mapping[str, str] | None = None
) -> tuple[int, float]:
    """Return the status and the seconds of an answer."""
    began = perf_counter()
    with closing(HTTPConnection(urlsplit(base_url).netloc, timeout=120)) as connection:
        connection.request(method, path, body or None, dict(headers or {}))
        response = connection.getresponse()
        response.read()
        return response.status, perf_counter() - began
