"""Commands of the pages run as written: those of `tracker`, and those that call the API."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.main import get_command

from orchestration.cli.app import app
from orchestration.cli.commands import Commands
from tests.docs.pages import GIVEN, blocks, names
from tests.factories.history import roll_up
from tests.fixtures.api import Tenant
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.orchestration.commands import environment
from warehouse.operational.store import operational_store
from warehouse.settings import REPOSITORY

ORIGIN = "http://127.0.0.1:8000"
PASSWORD = "a first password"
CALLING_PAGES = [
    page for page in names() if any("curl -s" in each and ORIGIN in each for each in blocks(page))
]


def tracker_lines() -> Iterator[tuple[str, str]]:
    """Yield each `tracker` command on a page, in its code blocks and in its text."""
    for page in names():
        for inline in re.findall(r"`tracker ([a-z][^`]*)`", (REPOSITORY / page).read_text("utf-8")):
            yield page, inline
        for block in blocks(page):
            joined = block.replace("\\\n", " ")
            for line in joined.splitlines():
                match = re.search(r"(?:^|[ /])tracker ([a-z][^#|]*)", line)
                if match and not line.startswith(("docker", "sudo")):
                    yield page, match[1].strip()


@pytest.mark.parametrize(("page", "line"), sorted(set(tracker_lines())), ids=str)
def test_each_command_has_the_options_that_a_page_names(page: str, line: str) -> None:
    words = shlex.split(line)
    group: Any = get_command(app)
    assert words[0] in group.modules, page
    command = group.loaded(words[0])
    if isinstance(command, Commands) and words[1:] and not words[1].startswith("--"):
        command = command.loaded(words[1])
    params = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    assert {word for word in words if word.startswith("--")} - {"--help"} <= params


def run(command: str, cwd: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", CALLING_PAGES)
def test_calls_of_the_api_are_answered(tenant: Tenant, page: str, tmp_path: Path) -> None:
    body = {
        "project_id": str(tenant.project_id),
        "accounts": [{"platform": "tiktok", "handle": "somebody"}],
    }
    creator = tenant.client.data("POST", "/creators", json=body)
    env = {
        **os.environ,
        "KEY": tenant.made.api_key,
        "PROJECT": str(tenant.project_id),
        "CREATOR": creator["id"],
        "NO_PROXY": "127.0.0.1",
    }
    for block in blocks(page):
        if "curl -s" in block and ORIGIN in block:
            command = GIVEN.sub("", block).replace(ORIGIN, tenant.api.base_url)
            answer = answered(run(command, tmp_path, env))
            if "payout-structures" in command and "STRUCTURE" not in env:
                env["STRUCTURE"] = answer["data"]["structure_id"]
            if "conversion-events" in command:
                env["EVENT"] = answer["data"]["id"]


FIRST_CALLS = "docs/first-calls.md"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "program"),
    [("python", [sys.executable, "first_calls.py"]), ("ts", ["node", "first_calls.mjs"])],
)
def test_the_first_ten_calls_are_one_program(
    tenant: Tenant, language: str, program: list[str], tmp_path: Path
) -> None:
    """It prints the ids of its rows. All types of the TypeScript are inferred."""
    if shutil.which(program[0]) is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    [source] = blocks(FIRST_CALLS, language)
    (tmp_path / program[1]).write_text(source, encoding="utf-8")
    api, key, project = tenant.api.base_url, tenant.made.api_key, str(tenant.project_id)
    env = {**os.environ, "API": api, "KEY": key, "PROJECT": project, "NO_PROXY": "127.0.0.1"}
    creator, campaign, rule = run(shlex.join(program), tmp_path, env).split()
    assert tenant.client.data("GET", f"/creators/{creator}")["id"] == creator
    assert tenant.client.data("GET", f"/campaigns/{campaign}")["id"] == campaign
    assert tenant.client.data("GET", f"/payout-structures/{rule}")["criteria_type"] == "cpm"


def answered(printed: str) -> dict[str, Any]:
    """Return the response, of REST or of MCP's event stream; assert that it is no error."""
    text = next((line[6:] for line in printed.splitlines() if line.startswith("data: ")), printed)
    answer = json.loads(text)
    assert answer.get("error") is None, answer
    assert not answer.get("result", {}).get("isError"), answer
    return answer


@pytest.fixture(scope="module")
def installed(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder in which the steps of the getting-started page ran, with a publication."""
    folder = tmp_path_factory.mktemp("started")
    commands = folder / ".venv" / "bin"
    commands.mkdir(parents=True)
    (folder / "docs").symlink_to(REPOSITORY / "docs")
    dbt = "-c 'from dbt.cli.main import cli; cli()'"
    for name, words in (("tracker", "-m orchestration.cli"), ("python", ""), ("dbt", dbt)):
        (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (commands / name).chmod(0o755)
    with databases() as url:
        env = environment(folder / "data", url)
        [block] = [each for each in blocks("docs/get-started.md") if "tracker init" in each]
        made = run(block.replace("make install", ""), folder, env)
        assert json.loads(made[made.index("{") :])["api_key"].startswith("svc_")
        settings = settings_for(folder / "data", url)
        with operational_store(settings) as store:
            roll_up(settings, store)
        yield folder, env


@pytest.mark.slow
def test_the_first_password_is_accepted(installed: tuple[Path, dict[str, str]]) -> None:
    folder, env = installed
    [line] = re.findall(
        r"^(.*tracker user set-password [^#\n]*)",
        "\n".join(blocks("docs/get-started.md")),
        re.MULTILINE,
    )
    run(f"echo '{PASSWORD}' | {line}", folder, env)


@pytest.mark.slow
def test_questions_in_sql_are_answered(installed: tuple[Path, dict[str, str]]) -> None:
    folder, env = installed
    shell, *_ = blocks("docs/guides/sql.md")
    for line in shell.splitlines()[1:]:
        run(line, folder, env)
    program, *_ = blocks("docs/guides/sql.md", "python")  # .ci/wheel tests other libraries
    assert "view_count" in run(f"../.venv/bin/python - <<'PY'\n{program}\nPY", folder / "data", env)


@pytest.mark.slow
def test_own_models_build_on_it(installed: tuple[Path, dict[str, str]]) -> None:
    folder, env = installed
    [build] = [each for each in blocks("docs/guides/sql.md") if "dbt build" in each]
    output = run(build, folder, env)
    assert "PASS=7 WARN=0 ERROR=0" in output
    with duckdb.connect(folder / "own-models" / "own_models.duckdb", read_only=True) as built:
        names = [column[0] for column in built.execute("from creator_months").description]
    assert names == ["creator_id", "display_name", "month", "views", "currency", "cost_cents"]


@pytest.mark.slow
def test_a_backup_is_made_and_restored(installed: tuple[Path, dict[str, str]]) -> None:
    folder, env = installed
    make, fill = blocks("docs/operations/backup.md")
    run(make.replace("tracker", ".venv/bin/tracker").replace("DIR", "copy"), folder, env)
    again = fill.replace("tracker", ".venv/bin/tracker").replace("DIR", "--force copy")
    run(again, folder, env)


@pytest.mark.parametrize("program", list(blocks("docs/guides/sql.md", "python")))
def test_programs_set_their_time_zone(program: str) -> None:
    assert "set TimeZone = 'UTC'" in program
