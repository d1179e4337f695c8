"""Requests that compute much in a process of their own, whatever happens to that process."""

import asyncio
import json
import os
import pickle
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from fastapi import Request
from pydantic import SecretStr

from serving_api.http import forwarding
from serving_api.http.forwarding import LARGE_BYTES
from serving_api.kit.shares import HEAVY_SECONDS
from serving_api.process import compute_worker
from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.processes import (
    REQUESTS_PER_MINUTE,
    SERVE,
    Worker,
    command_line,
    descendants,
    workers,
)
from tests.serving_api.process.test_serve import answered
from tests.warehouse.operational.processes import wait_until
from warehouse.settings import Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc").exists(), reason="the tests find the compute worker in /proc"
    ),
]

MODULE = "serving_api.process.compute_worker"
REMEMBER_USE = "from serving_api.kit import shares; shares.RECENT_SECONDS = 600"
CREATORS = 25
WRONG = {"creators": "x" * LARGE_BYTES}
"""A large body."""


def compute_workers(server: Worker) -> list[int]:
    return [pid for pid in descendants(server.process.pid) if MODULE in command_line(pid)]


def socket_of(worker: int) -> Path:
    return Path(command_line(worker).split("\0")[3])


def listens(worker: int) -> bool:
    with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
        probe.connect(str(socket_of(worker)))
        return True
    return False


def wait_for_worker(server: Worker, *, after: int = 0) -> int:
    """Return the compute worker's process once it answers; `after` is one that was killed."""
    wait_until(
        lambda: any(worker != after and listens(worker) for worker in compute_workers(server))
    )
    [worker] = compute_workers(server)
    return worker


def batch() -> dict[str, Any]:
    """Return a body that is large."""
    return {
        "creators": [
            {"accounts": [{"platform": "tiktok", "handle": f"c{n}.a{m}"} for m in range(20)]}
            for n in range(CREATORS)
        ]
    }


@dataclass(frozen=True)
class Served:
    """A server, and its log."""

    server: Worker
    log: Path

    def client(self, tenant: Tenant) -> Client:
        return self.server.client(tenant.made.api_key)

    def lost_requests(self) -> int:
        return self.log.read_text().count("the compute worker ended during a request")


@pytest.fixture(scope="module")
def served(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The one server that counts: two would each count alone, and the second one refuses to."""
    log = tmp_path_factory.mktemp("served") / "log"
    with serving(api, log, SERVE, api_rate_limits=True) as started:
        yield started


@contextmanager
def serving(api: Api, path: Path, script: str, **changes: object) -> Iterator[Served]:
    with (
        path.open("w") as log,
        workers(api, 1, log=log, script=script, **changes) as [server],
    ):
        yield Served(server, path)


@contextmanager
def waiting(
    api: Api, lock: str, client: Client, method: str, path: str, **more: Any
) -> Iterator["Future[httpx.Response]"]:
    """Send a request beside the block, which begins while it waits for the lock."""
    with ThreadPoolExecutor(1) as pool, psycopg.connect(api.store.dsn) as holder:
        holder.execute(lock)
        response = pool.submit(client.request, method, path, **more)
        wait_until_waiting(api.store.dsn)
        yield response


def lock_of(tenant: Tenant) -> str:
    return f"select from organizations where id = '{tenant.organization_id}' for no key update"


def test_a_batch_of_a_worker_that_is_killed_is_not_carried_out_and_the_next_one_is(
    api: Api, tenant: Tenant, served: Served
) -> None:
    path = f"/projects/{tenant.project_id}/creators"
    worker, lost = wait_for_worker(served.server), served.lost_requests()
    with served.client(tenant) as client:
        with waiting(api, lock_of(tenant), client, "POST", path, json=batch()) as response:
            os.kill(worker, signal.SIGKILL)
            assert response.result().status_code == 500
        assert client.data("GET", "/creators") == []
        assert client.post(path, json=batch()).status_code == 201  # by whichever process is there
        wait_for_worker(served.server, after=worker)
        assert client.post(path, json=batch()).status_code == 409
        assert len(client.data("GET", "/creators")) == CREATORS
    assert served.lost_requests() == lost + 1


def test_a_batch_with_an_idempotency_key_is_carried_out_once_although_its_worker_is_killed(
    api: Api, tenant: Tenant, served: Served
) -> None:
    path = f"/projects/{tenant.project_id}/creators"
    same: dict[str, Any] = {"headers": {"Idempotency-Key": str(uuid4())}, "json": batch()}
    worker, lost = wait_for_worker(served.server), served.lost_requests()
    with served.client(tenant) as client:
        with waiting(api, lock_of(tenant), client, "POST", path, **same) as response:
            os.kill(worker, signal.SIGKILL)
            assert response.result().json()["meta"]["code"] == "idempotency_in_progress"
        wait_until(lambda: client.post(path, **same).status_code == 201)
        assert client.post(path, **same).headers["Idempotency-Replay"] == "true"
        assert len(client.data("GET", "/creators")) == CREATORS
    assert served.lost_requests() == lost + 1


def test_reads_of_who_computes_more_than_all_others_go_there_and_are_answered_without_it(
    api: Api, tenant: Tenant, tmp_path: Path
) -> None:
    lock = "lock table creators in access exclusive mode"
    script = REMEMBER_USE + SERVE  # however slow the machine is
    with (
        new_tenant(api) as other,
        serving(api, tmp_path / "log", script) as served,
        served.client(tenant) as client,
        served.client(other) as others_client,
    ):
        worker = wait_for_worker(served.server)
        with waiting(api, lock, client, "GET", "/creators") as response:
            until = monotonic() + 1.5 * HEAVY_SECONDS
            wait_until(lambda: monotonic() > until)
        assert response.result().status_code == 200
        others_client.data("GET", "/campaigns")
        with waiting(api, lock, client, "GET", "/creators") as response:
            os.kill(worker, signal.SIGKILL)
            wait_until(lambda: worker not in compute_workers(served.server))
        assert response.result().status_code == 200
    assert served.lost_requests() == 1


def test_a_forwarded_request_is_counted_logged_and_limited_once(
    api: Api, tenant: Tenant, served: Served
) -> None:
    path = f"/projects/{tenant.project_id}/creators"
    wait_for_worker(served.server)
    before = answered(served.server.base_url, "create_project_creators")
    with served.client(tenant) as client:
        made = client.post(path, json=batch())
        statuses = [client.post(path, json=WRONG).status_code for _ in range(REQUESTS_PER_MINUTE)]
    assert made.status_code == 201
    assert statuses == [400] * (REQUESTS_PER_MINUTE - 1) + [429]
    after = answered(served.server.base_url, "create_project_creators")
    assert after == before + REQUESTS_PER_MINUTE + 1
    request_id = made.headers["X-Request-Id"]
    log = served.log.read_text()
    entries = [json.loads(line) for line in log.splitlines() if request_id in line]
    assert "http://worker" not in log  # nor its query
    assert [(each["event"], each["client"]) for each in entries] == [("request", "127.0.0.1")]
    with psycopg.connect(api.store.dsn) as connection:
        ids = connection.execute(
            "select distinct request_id from audit_entries where organization_id = %s",
            [tenant.organization_id],
        ).fetchall()
    assert ids == [(request_id,)]


def test_a_client_passes_nothing_off_as_forwarded(tenant: Tenant, served: Served) -> None:
    forged = {"X-Forwarded-Request": json.dumps({"request_id": "forged", "client": None})}
    path = f"/projects/{tenant.project_id}/creators"
    wait_for_worker(served.server)
    with served.client(tenant) as client:
        for body in (WRONG, {}):
            response = client.post(path, json=body, headers=forged)
            assert response.status_code == 400
            assert response.headers["X-Request-Id"] != "forged"


def test_white_space_after_a_header_s_value_is_no_part_of_it(
    tenant: Tenant, served: Served
) -> None:
    wait_for_worker(served.server)
    url = httpx.URL(served.server.base_url)
    headers = {
        "Authorization": f"Bearer {tenant.made.api_key} \t",
        "Content-Type": "application/json ",
    }
    with closing(HTTPConnection(url.host, url.port)) as connection:  # httpx sends no such header
        path = f"/api/v2/projects/{tenant.project_id}/creators"
        connection.request("POST", path, json.dumps(batch()), headers)
        assert connection.getresponse().status == 201


def test_a_write_that_reached_no_worker_in_time_is_carried_out_by_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwarding, "TIMEOUT", httpx.Timeout(120.0, connect=0.0))
    scope = {
        "type": "http",
        "method": "POST",
        "endpoint": batch,
        "raw_path": b"/",
        "query_string": b"",
        "headers": [],
        "client": None,
        "scheme": "http",
        "state": {"request_id": "1"},
    }
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.listen()
        worker = forwarding.ComputeWorker(tmp_path / "socket")
        assert asyncio.run(worker.respond(Request(scope))) is None


def test_one_that_cannot_be_started_is_tried_again_later_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []

    class NoWaiting(Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout)
            return len(waits) > 6

    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    compute_worker._restart_ended(tmp_path / "socket", b"", NoWaiting())
    assert waits == [2, 4, 8, 16, 32, 60, 60]


def test_it_ends_without_a_fault_of_the_interpreter_where_it_cannot_begin(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, database_url=SecretStr("postgresql://127.0.0.1:1/none"))
    with subprocess.Popen(
        [sys.executable, "-m", MODULE, str(tmp_path / "socket")],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stderr is not None
        worker.stdin.write(pickle.dumps(settings))
        worker.stdin.flush()
        assert b"no PostgreSQL answers" in worker.stderr.read()
        assert worker.wait() == 1


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_it_is_the_server_s_own_and_ends_with_it(
    api: Api, signal_number: signal.Signals, tmp_path: Path
) -> None:
    with serving(api, tmp_path / "log", SERVE) as served:
        server, worker = served.server, wait_for_worker(served.server)
        response = httpx.get(f"{server.base_url}/readyz", trust_env=False, timeout=30)
        assert response.json()["postgresql"] == "ok"
        assert "server" not in response.headers
        socket_path = socket_of(worker)
        assert stat.S_IMODE(socket_path.stat().st_mode) == 0o600
        assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700
        server.process.send_signal(signal_number)
        wait_until(lambda: command_line(worker) == "")
        assert server.process.wait() in {0, -signal_number}
        assert "Traceback" not in served.log.read_text()
        assert not socket_path.parent.exists()


def test_ctrl_c_which_a_terminal_sends_to_all_leaves_no_trace_of_it(served: Served) -> None:
    """The last test of this server, which ends before the next worker is loaded."""
    worker = wait_for_worker(served.server)
    os.kill(worker, signal.SIGINT)
    wait_until(lambda: worker not in compute_workers(served.server))
    assert "KeyboardInterrupt" not in served.log.read_text()
