"""The recipes of docs/clients.md, command by command: clients with every operation, which pay."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import UUID

import pytest

from tests.docs.pages import blocks
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.npm import install_packages, missing
from tests.warehouse.webhooks.test_signing import sample

pytestmark = pytest.mark.soak

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "clients.md").read_text(encoding="utf-8")
NAME = "A dollar for 1,000 views"


def block(section: str, language: str, number: int = 0) -> str:
    """What a section of the page says in a language: its block of this number."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    bodies: list[str] = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return bodies[number]


TYPES, COMPILED, PROGRAM = block("TypeScript", "sh").partition("npx tsc")


@dataclass(frozen=True)
class Reader:
    """Who follows the page, in a folder of their own, with a key."""

    folder: Path
    tenant: Tenant

    def run(self, commands: str) -> str:
        """Run commands of the page; return what they print."""
        done = self.try_to(commands)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def try_to(self, commands: str) -> "subprocess.CompletedProcess[str]":
        given = {
            "API": self.tenant.api.base_url,
            "KEY": self.tenant.made.api_key,
            "PROJECT": str(self.tenant.project_id),
            "NO_PROXY": "127.0.0.1",
        }
        return subprocess.run(
            ["bash", "-euc", commands],
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, **given},
        )

    def install(self, what: str, commands: str) -> None:
        """Install what is pinned, with its hashes, so that the page's own commands find it."""
        done = self.try_to(commands)
        if done.returncode:
            missing(f"{what} could not be installed: {done.stderr[-300:]}")


@pytest.fixture(scope="module")
def reader(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed (Debian: apt-get install curl)")
    with new_tenant(api) as tenant:
        reader = Reader(tmp_path_factory.mktemp("clients"), tenant)
        reader.run(block("The document", "sh"))
        yield reader


@pytest.fixture(scope="module")
def python_client(reader: Reader) -> Reader:
    pinned = f"--no-deps --require-hashes --requirement {HERE / 'generator.txt'}"
    reader.install(
        "openapi-python-client",
        f"{sys.executable} -m venv generator; generator/bin/pip install --quiet {pinned}",
    )
    reader.run(block("Python", "sh"))
    for number, name in enumerate(("helpers.py", "pay.py")):
        text = block("Python", "python", number)
        (reader.folder / name).write_text(text, encoding="utf-8")
    return reader


@pytest.fixture(scope="module")
def typescript_client(reader: Reader) -> Reader:
    """The reader, having made the TypeScript client."""
    install_packages(reader.folder)
    reader.run(TYPES)
    for number, name in enumerate(("helpers.mts", "pay.mts")):
        text = block("TypeScript", "ts", number)
        (reader.folder / name).write_text(text, encoding="utf-8")
    return reader


def operations(api: Api) -> dict[str, Any]:
    """The operations of the document by their id."""
    paths = api.document["paths"].values()
    return {each["operationId"]: each for methods in paths for each in methods.values()}


def holds_what_it_says(reader: Reader, text: str) -> None:
    """The structure that a program made is there; it read it, and was refused another by a code."""
    lines = dict(line.split(" ", 1) for line in text.splitlines())
    made = reader.tenant.client.data("GET", f"/payout-structures/{UUID(lines['made'])}")
    assert (made["name"], lines["read"], lines["refused"]) == (NAME, NAME, "not_found")


def test_the_python_client_has_every_operation_and_each_of_its_answers(
    python_client: Reader,
) -> None:
    folder = python_client.folder / "tracker_client"
    modules = {path.stem: path for path in folder.glob("api/*/[!_]*.py")}
    expected = operations(python_client.tenant.api)
    assert modules.keys() == expected.keys()
    lost = [
        (name, status)
        for name, operation in expected.items()
        for status in operation["responses"]
        if f"response.status_code == {status}:" not in modules[name].read_text(encoding="utf-8")
    ]
    assert lost == []
    names = [
        ".".join(path.relative_to(folder.parent).with_suffix("").parts) for path in modules.values()
    ]
    python_client.run(f"generator/bin/python -W error -c 'import {', '.join(names)}'")


def test_the_python_program_writes_reads_and_is_refused(python_client: Reader) -> None:
    holds_what_it_says(python_client, python_client.run("generator/bin/python pay.py"))


def test_the_typescript_program_writes_reads_and_is_refused(typescript_client: Reader) -> None:
    holds_what_it_says(typescript_client, typescript_client.run(COMPILED + PROGRAM))


class Busy(BaseHTTPRequestHandler):
    """Asks to wait once, then answers."""

    def do_POST(self) -> None:
        is_first = not self.server.bodies
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(429 if is_first else 200)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", "0")
        self.end_headers()

    server: "BusyServer"


class BusyServer(ThreadingHTTPServer):
    bodies: list[bytes]


@pytest.fixture
def busy() -> Iterator[BusyServer]:
    with BusyServer(("127.0.0.1", 0), Busy) as server:
        server.bodies = []
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_the_helpers_send_again_when_asked_to_wait(
    python_client: Reader, typescript_client: Reader, busy: BusyServer
) -> None:
    url = f"http://127.0.0.1:{busy.server_port}/"
    lines = "import httpx, helpers; c = httpx.Client(transport=helpers.Patient())"
    lines += f"; print(c.post('{url}', content=b'x').status_code)"
    assert python_client.run(f'generator/bin/python -c "{lines}"') == "200\n"
    assert busy.bodies == [b"x", b"x"]
    busy.bodies.clear()
    lines = 'import { patient } from "./helpers.mjs"; const init = { method: "POST", body: "x" };'
    lines += f' console.log((await patient(new Request("{url}", init))).status);'
    (typescript_client.folder / "again.mjs").write_text(lines, encoding="utf-8")
    typescript_client.run((COMPILED + PROGRAM).partition("\n")[0])
    assert typescript_client.run("node again.mjs") == "200\n"
    assert busy.bodies == [b"x", b"x"]


def test_the_typescript_client_has_every_operation(typescript_client: Reader) -> None:
    """The compiler says so: a record with a key for each operation, no more and no less."""
    every = ", ".join(f"{name}: true" for name in operations(typescript_client.tenant.api))
    (typescript_client.folder / "every.mts").write_text(
        'import type { operations } from "./tracker.d.ts";\n'
        f"export const every: Record<keyof operations, true> = {{ {every} }};\n",
        encoding="utf-8",
    )
    typescript_client.run("npx tsc --strict --noEmit --target es2022 --module nodenext every.mts")


def test_the_typescript_of_the_first_calls_compiles(typescript_client: Reader) -> None:
    [source] = blocks("docs/first-calls.md", "ts")
    (typescript_client.folder / "first_calls.mts").write_text(source, encoding="utf-8")
    typescript_client.run(
        "npx tsc --strict --noEmit --target es2022 --module nodenext first_calls.mts"
    )


def test_the_typescript_of_the_guide_to_webhooks_tells_genuine_messages(
    typescript_client: Reader,
) -> None:
    [source] = blocks("docs/guides/webhooks.md", "ts")
    headers, body, key = sample()
    given = f"{json.dumps(headers)}, {json.dumps(body.decode())}, {json.dumps(key)}"
    now = headers["webhook-timestamp"]
    checks = f"console.log(isGenuine({given}, {now}), isGenuine({given}, {now} + 301));\n"
    (typescript_client.folder / "genuine.mts").write_text(source + checks, encoding="utf-8")
    compiled = "npx tsc --strict --target es2022 --module nodenext genuine.mts"
    assert typescript_client.run(f"{compiled}\nnode genuine.mjs") == "true false\n"
