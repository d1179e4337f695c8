"""A server with scripted replies by path, and the outcomes that clients must report."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True)
class Reply:
    """A reply; a broken one closes the connection inside the body."""

    status: int = 200
    text: str = "{}"
    retry_after: str | None = None
    content_type: str = "application/json"
    is_broken: bool = False


DONE, BROKEN = Reply(), Reply(is_broken=True)
PAST, TOMORROW = "Wed, 21 Oct 2015 07:28:00 GMT", "86000"


def refusal(status: int, retry_after: str | None = "0") -> Reply:
    """Return an error response of the service."""
    body = {"data": None, "error": "Not now", "meta": {"code": "some_code"}}
    return Reply(status, json.dumps(body), retry_after)


def page(status: int) -> Reply:
    """Return a proxy's response."""
    text = "<style>h1 {}</style><h1>Sign  in</h1>\n<p>at the gateway"
    return Reply(status, text, "0", "text/html; charset=utf-8")


CASES = {
    "a POST whose answer broke": ("POST", [BROKEN, DONE], "200"),
    "a GET whose answer broke": ("GET", [BROKEN, DONE], "200"),
    "a GET that always breaks": ("GET", [BROKEN] * 4, "broken"),
    "a PATCH whose answer broke": ("PATCH", [BROKEN], "broken"),
    "a POST in progress": ("POST", [BROKEN, refusal(409), DONE], "200"),
    "a POST in conflict": ("POST", [refusal(409, None)], "409"),
    "a POST while unavailable": ("POST", [refusal(503, PAST), DONE], "200"),
    "a PATCH while unavailable": ("PATCH", [refusal(503)], "503"),
    "a DELETE while unavailable": ("DELETE", [refusal(503)], "503"),
    "a PATCH at the limit": ("PATCH", [refusal(429, PAST), DONE], "200"),
    "a GET at the limit of the day": ("GET", [refusal(429, TOMORROW)], "429"),
    "a proxy's error": ("GET", [page(502)] * 4, "502 Bad Gateway: Sign in at the gateway"),
    "a proxy's page": ("GET", [page(200)], "200 OK: Sign in at the gateway"),
    "an error of another service": ("GET", [Reply(403, '{"a": 1}')], '403 Forbidden: {"a": 1}'),
}
"""By name: the method, the replies that a client receives, and what it returns or raises."""


class _Handler(BaseHTTPRequestHandler):
    server: "ScriptedServer"

    def _reply(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        name = list(CASES)[int(self.path.strip("/"))]
        requests = self.server.requests.setdefault(name, [])
        replies = CASES[name][1]
        reply = replies[min(len(requests), len(replies) - 1)]
        requests.append((self.command, body, self.headers["Idempotency-Key"]))
        content = reply.text.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(content) + reply.is_broken))
        if reply.retry_after is not None:
            self.send_header("Retry-After", reply.retry_after)
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True

    do_GET = do_POST = do_PATCH = do_DELETE = _reply  # noqa: N815  names of the library

    def log_message(self, *_: object) -> None:
        pass


class ScriptedServer(ThreadingHTTPServer):
    """`requests` are the received ones by case: method, body and Idempotency-Key."""

    requests: dict[str, list[tuple[str, bytes, str | None]]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    with ScriptedServer(("127.0.0.1", 0), _Handler) as server:
        server.requests = {}
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


_PYTHON = """
import asyncio, json, sys, time
import httpx
from tracker_client import helpers

async def no_wait(seconds): pass

def outcome(call):
    try:
        return str(call().status_code)
    except httpx.TransportError:
        return "broken"
    except helpers.UnexpectedAnswerError as error:
        return str(error)

def request(method):
    return {"content": b"x"} if method in ("POST", "PATCH") else {}

time.sleep = lambda seconds: None
asyncio.sleep = no_wait
client = helpers.connect(URL, "k")
"""
BLOCKING = f"""{_PYTHON}
def call(index, method):
    return client.get_httpx_client().request(method, f"/{{index}}", **request(method))

print(json.dumps([outcome(lambda: call(*case)) for case in enumerate(METHODS)]))
"""
CONCURRENT = f"""{_PYTHON}
async def call(index, method):
    async with helpers.connect(URL, "k") as client:
        http = client.get_async_httpx_client()
        return await http.request(method, f"/{{index}}", **request(method))

print(json.dumps([outcome(lambda: asyncio.run(call(*case))) for case in enumerate(METHODS)]))
"""
TYPESCRIPT = """
import { patient, UnexpectedAnswerError } from "creator-tracker-client";

const wait = setTimeout;
globalThis.setTimeout = (call) => wait(call, 0);
const outcomes = [];
for (const [index, method] of METHODS.entries()) {
  const body = ["POST", "PATCH"].includes(method) ? "x" : undefined;
  try {
    outcomes.push(String((await patient(new Request(URL + "/" + index, { method, body }))).status));
  } catch (error) {
    outcomes.push(error instanceof UnexpectedAnswerError ? error.message : "broken");
  }
}
console.log(JSON.stringify(outcomes));
"""
REFUSED_IN_PYTHON = """
import os
from tracker_client.api.creators import list_creators
from tracker_client.helpers import ApiError, connect, every

try:
    list(every(list_creators, connect(os.environ["API"], "svc_none")))
except ApiError as error:
    print(error, error.meta["code"] == error.code)
"""
REFUSED_IN_TYPESCRIPT = """
import { ApiError, connect, every } from "creator-tracker-client";

const tracker = connect(process.env.API, "svc_none");
const read = (query) => tracker.GET("/api/v2/creators", { params: { query } });
try {
  for await (const each of every(read));
} catch (error) {
  console.log(error.message, error instanceof ApiError && error.meta.code === error.code);
}
"""


def program(text: str, server: ScriptedServer) -> str:
    """Return a program that sends the request of each case and prints the outcomes."""
    methods = json.dumps([method for method, _, _ in CASES.values()])
    return text.replace("METHODS", methods).replace("URL", json.dumps(server.url))
