"""The page docs/clients.md, command by command: built clients have every operation and can pay."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.clients import scripted
from tests.clients.scripted import CASES, REFUSED_IN_PYTHON, REFUSED_IN_TYPESCRIPT, scripted_server
from tests.docs.pages import blocks
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from tests.fixtures.npm import missing
from tests.warehouse.webhooks.test_signing import sample
from warehouse.settings import REPOSITORY

pytestmark = pytest.mark.slow

BUILD = REPOSITORY / "docs" / "clients" / "build"
PAGE = BUILD.parent.with_suffix(".md").read_text(encoding="utf-8")
NAME = "A dollar for 1,000 views"


def block(section: str, language: str) -> str:
    """Return the code of a section of the page in a language."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    [body] = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return str(body)


INSTALL, COMPILE, PAY = block("TypeScript", "sh").splitlines()


@dataclass(frozen=True)
class Reader:
    """A reader who follows the page in a folder of their own, with a key."""

    folder: Path
    tenant: Tenant

    def run(self, commands: str) -> str:
        """Run commands of the page; return their output."""
        here = {
            "API": self.tenant.api.base_url,
            "KEY": self.tenant.made.api_key,
            "PROJECT": str(self.tenant.project_id),
            "NO_PROXY": "127.0.0.1",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        done = subprocess.run(
            ["bash", "-euc", commands],
            cwd=self.folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=1800,
            env={**os.environ, **here},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def reader(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A reader who has built both clients from the served document."""
    for program in ("curl", "npm"):
        if shutil.which(program) is None:
            missing(f"{program} is not installed (Debian: apt-get install {program})")
    with new_tenant(api) as tenant:
        reader = Reader(tmp_path_factory.mktemp("clients"), tenant)
        reader.run(block("Another language", "sh"))
        reader.run(f"{shlex.quote(str(BUILD))} .")
        yield reader


@pytest.fixture(scope="module")
def python_client(reader: Reader) -> Reader:
    reader.run(block("Python", "sh"))
    reader.write("pay.py", block("Python", "python"))
    return reader


@pytest.fixture(scope="module")
def typescript_client(reader: Reader) -> Reader:
    """The reader, with all TypeScript of the pages compiled beside a record of all operations.

    The compiler checks that the record has exactly one key for each operation.
    """
    headers, body, key = sample()
    given = f"{json.dumps(headers)}, {json.dumps(body.decode())}, {json.dumps(key)}"
    now = headers["webhook-timestamp"]
    calls = [f"{given}, {now}", f"{given}, {now} + 301", "{}, '', ''"]
    genuine = f"console.log({', '.join(f'isGenuine({call})' for call in calls)});\n"
    every = ", ".join(f"{name}: true" for name in operations(reader.tenant.api))
    programs = {
        "pay.mts": block("TypeScript", "ts"),
        "first_calls.mts": only_block("docs/first-calls.md"),
        "export.mts": block("TypeScript", "ts") + block("Exports", "ts"),
        "genuine.mts": only_block("docs/guides/webhooks.md") + genuine,
        "every.mts": 'import type { operations } from "creator-tracker-client";\n'
        f"export const every: Record<keyof operations, true> = {{ {every} }};\n",
    }
    for name, text in programs.items():
        reader.write(name, text)
    reader.run(INSTALL)
    reader.run(COMPILE.replace("pay.mts", " ".join(["--exactOptionalPropertyTypes", *programs])))
    return reader


def only_block(page: str) -> str:
    [source] = blocks(page, "ts")
    return source


def operations(api: Api) -> dict[str, Any]:
    """The document's operations by id."""
    paths = api.document["paths"].values()
    return {each["operationId"]: each for methods in paths for each in methods.values()}


def holds_what_it_says(reader: Reader, text: str) -> None:
    """Assert what the program printed: the structure that it made and read, and an error code."""
    lines = dict(line.split(" ", 1) for line in text.splitlines())
    made = reader.tenant.client.data("GET", f"/payout-structures/{UUID(lines['made'])}")
    assert (made["name"], lines["read"], lines["refused"]) == (NAME, NAME, "not_found")


def test_the_python_client_has_every_operation_and_each_of_its_answers(
    python_client: Reader,
) -> None:
    [folder] = python_client.folder.glob("client/lib/python3.*/site-packages/tracker_client")
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
    python_client.run(f"client/bin/python -W error -c 'import {', '.join(names)}'")


def test_the_python_program_writes_reads_and_is_refused(python_client: Reader) -> None:
    holds_what_it_says(python_client, python_client.run("client/bin/python pay.py"))


def test_the_typescript_program_writes_reads_and_is_refused(typescript_client: Reader) -> None:
    holds_what_it_says(typescript_client, typescript_client.run(PAY))


def test_the_typescript_program_reads_an_export(typescript_client: Reader) -> None:
    *_, columns, end = typescript_client.run("node export.mjs").splitlines()
    assert columns.startswith("id,structure_id,structure_name,")
    assert end.strip() == "null"


def test_the_python_client_returns_values_that_it_does_not_know(python_client: Reader) -> None:
    [account] = python_client.tenant.creator()["accounts"]
    python_client.write("account.json", json.dumps({**account, "platform": "threads"}))
    program = "import json; from tracker_client.models import Account"
    program += "; print(Account.from_dict(json.load(open('account.json'))).platform)"
    assert python_client.run(f'client/bin/python -c "{program}"') == "threads\n"


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("blocking.py", scripted.BLOCKING, "client/bin/python"),
        ("waiting.py", scripted.CONCURRENT, "client/bin/python"),
        ("failing.mjs", scripted.TYPESCRIPT, "node"),
    ],
)
def test_clients_retry_safe_requests_and_report_the_others(
    python_client: Reader, typescript_client: Reader, name: str, text: str, command: str
) -> None:
    with scripted_server() as server:
        typescript_client.write(name, scripted.program(text, server))
        outcomes = json.loads(typescript_client.run(f"{command} {name}"))
    assert dict(zip(CASES, outcomes, strict=True)) == {
        case: outcome for case, (_, _, outcome) in CASES.items()
    }
    for case, (method, replies, _) in CASES.items():
        requests = server.requests[case]
        assert (case, len(requests)) == (case, len(replies))
        assert len(set(requests)) == 1  # all have the same key
        assert (requests[0][2] is not None) == (method == "POST")


def test_lists_raise_the_code_of_an_error(python_client: Reader, typescript_client: Reader) -> None:
    python_client.write("refused.py", REFUSED_IN_PYTHON)
    typescript_client.write("refused.mjs", REFUSED_IN_TYPESCRIPT)
    printed = python_client.run("client/bin/python refused.py")
    assert re.fullmatch("invalid_api_key: .{1,100} True\n", printed)
    assert typescript_client.run("node refused.mjs") == printed.replace("True", "true")


def test_a_copy_has_deactivated_accounts_and_voided_conversions(python_client: Reader) -> None:
    tenant = python_client.tenant
    creator = tenant.creator("leaving.creator")
    [account] = creator["accounts"]
    tenant.client.data("POST", f"/accounts/{account['id']}/deactivate", json={"videos": "freeze"})
    conversion = tenant.conversion(tenant.conversion_event(), creator_id=creator["id"])
    path = f"/projects/{tenant.project_id}/conversions/{conversion['id']}"
    tenant.client.data("DELETE", path)
    python_client.write("changes.py", block("Keep a copy", "python"))
    printed = python_client.run(f"SINCE={NOW.isoformat()} client/bin/python changes.py")
    assert {f"account {account['id']}", f"conversion {conversion['id']}"} <= {*printed.splitlines()}


def test_the_typescript_of_the_guide_to_webhooks_verifies_messages(
    typescript_client: Reader,
) -> None:
    assert typescript_client.run("node genuine.mjs") == "true false false\n"
