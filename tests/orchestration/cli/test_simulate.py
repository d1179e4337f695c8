"""`tracker simulate`: the made-up platforms in a process of their own."""

import re
import subprocess
import sys

import httpx
import pytest

from orchestration.cli.ports import free_port
from tests.fixtures.processes import wait_until_answered
from tests.orchestration.commands import tracker_here
from warehouse.settings import REPOSITORY


@pytest.mark.slow
def test_it_shows_the_world_as_it_is_at_an_instant() -> None:
    port = free_port()
    command = [sys.executable, "-m", "orchestration.cli", "simulate", "--port", str(port)]
    then = ["--creators", "20", "--now", "2026-09-10T12:00:00+02:00"]
    process = subprocess.Popen([*command, *then], stderr=subprocess.PIPE, text=True)
    origin = f"http://127.0.0.1:{port}"
    try:
        wait_until_answered(origin, process)
        clock = httpx.get(f"{origin}/_simulator/clock", trust_env=False).json()
        there = httpx.get(f"{origin}/_simulator/creators?platform=instagram", trust_env=False)
    finally:
        process.kill()
        _, printed = process.communicate()
    assert clock["now"] == "2026-09-10T10:00:00+00:00"
    handles = re.findall(r"@([\w.]+)", printed)
    assert len(handles) == 5
    assert all(f'"{handle}"' in there.text for handle in handles)
    assert f"`{handles[0]}`" in (REPOSITORY / "docs/get-started.md").read_text("utf-8")


def test_an_instant_without_an_offset_is_refused_before_anything_starts() -> None:
    refused = tracker_here("simulate", "--now", "2026-09-10", env={})
    assert refused.returncode == 2
    assert (
        "--now: '2026-09-10' is not a time with UTC offset. Write e.g. 2026-03-01T06:00:00Z"
        in refused.stderr
    )
