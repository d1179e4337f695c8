"""A client that closes its socket causes no traceback, whatever the server was doing."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import structlog

from tests.fixtures.api import PREFIX, Api, Tenant
from warehouse.logs import configure_logs

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
HALF = {
    "json": ("POST", f"{PREFIX}/creators", JSON),
    "form": ("POST", "/desk/sign-in", FORM),
    "upload": ("PUT", "{upload}", "image/png"),
    "mcp": ("POST", "/api/mcp", JSON),
    "registration": ("POST", "/oauth/register", JSON),
    "token": ("POST", "/oauth/token", FORM),
}
RESET = struct.pack("ii", 1, 0)
"""Close at once with a TCP reset."""


@pytest.fixture(autouse=True)
def logging_here(api: Api) -> Iterator[None]:
    """Log to the API's file, even if an earlier test of this process logs elsewhere."""
    before = structlog.get_config()
    with (api.settings.home_path / "api.log").open("a") as log:
        configure_logs(log)
        yield
    structlog.configure(**before)


def logged(log: Path, start: int) -> list[dict[str, Any]]:
    """The complete lines of a log from a position on."""
    text, _, _ = log.read_bytes()[start:].decode().rpartition("\n")
    return [json.loads(line) for line in text.splitlines()]


def leave_after(api: Api, sent: bytes, reset: bool, heard: int = 0) -> None:
    """Close after sending and receiving this much; assert a logged request without an error."""
    log = api.settings.home_path / "api.log"
    start, address = log.stat().st_size, urlsplit(api.base_url)
    with socket.create_connection((str(address.hostname), address.port or 80)) as opened:
        opened.sendall(sent)
        if heard:
            assert opened.recv(heard)
        if reset:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    deadline = time.monotonic() + 60
    while not any(line["event"] == "request" for line in logged(log, start)):
        assert time.monotonic() < deadline, "the request was not logged"
    # Its response shows that the event loop has finished the other request.
    httpx.get(f"{api.base_url}/healthz", trust_env=False, verify=False)
    lines = logged(log, start)
    assert [line for line in lines if "exception" in line or line["level"] == "error"] == []


def head(tenant: Tenant, method: str, path: str, *more: str) -> bytes:
    lines = (
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {tenant.made.api_key}",
        "Accept: application/json, text/event-stream",
        *more,
    )
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
@pytest.mark.parametrize(("method", "path", "kind"), HALF.values(), ids=HALF)
def test_during_a_body(tenant: Tenant, method: str, path: str, kind: str, reset: bool) -> None:
    if "{upload}" in path:
        made = tenant.client.data("POST", "/payout-methods", json={"name": "Bank"})
        at = f"/payout-methods/{made['id']}/icon/upload-url"
        body = {"content_type": "image/png"}
        path = urlsplit(tenant.client.data("POST", at, json=body)["signed_url"]).path
    sent = head(tenant, method, path, f"Content-Type: {kind}", "Content-Length: 1000")
    leave_after(tenant.api, sent + b'{"half":', reset)


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "closed"])
@pytest.mark.parametrize("heard", [0, 100])
@pytest.mark.parametrize("path", ["/openapi.json", "/exports/creators?format=csv", "/creators"])
def test_during_an_answer(tenant: Tenant, path: str, heard: int, reset: bool) -> None:
    leave_after(tenant.api, head(tenant, "GET", PREFIX + path), reset, heard)
