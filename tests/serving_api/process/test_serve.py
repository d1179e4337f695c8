"""Serving in a real process, which answers until it is stopped."""

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest

from orchestration.cli.ports import free_port
from serving_api.http.connection import MAX_TARGET_BYTES
from tests.fixtures.processes import command_line
from tests.fixtures.redis import redis_url
from tests.warehouse.operational.processes import wait_until
from warehouse.operational.organizations import NewOrganization
from warehouse.settings import REPOSITORY, Settings

pytestmark = pytest.mark.slow

__all__ = ["redis_url"]

LOADED = """
import sys
from serving_api.openapi import document
from serving_api.process.application import application
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
settings = Settings(home=sys.argv[1], database_url=sys.argv[2])
with operational_store(settings) as store:
    application(settings, store)
    assert document._MADE
    assert "fastmcp" in sys.modules
"""

get = partial(httpx.get, trust_env=False, verify=False, timeout=30)  # skips reading certificates


def workers_of(process: subprocess.Popen[str]) -> set[int]:
    """The server's worker processes, without multiprocessing's own."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return {pid for pid in map(int, children) if "spawn_main" in command_line(pid)}


def answered(base_url: str) -> int:
    """The number of `GET /me` responses in the metrics."""
    text = get(f"{base_url}/metrics").text
    counts = re.findall(
        r'^tracker_api_requests_total{.*route="get_me".*} (\S+)$', text, re.MULTILINE
    )
    return int(sum(map(float, counts)))


@pytest.mark.skipif(not Path("/proc").exists(), reason="the test finds the workers in /proc")
def test_several_workers_count_together_and_one_that_dies_is_replaced(
    tmp_path: Path, settings: Settings, organization: NewOrganization, redis_url: str
) -> None:
    port = free_port()
    arguments = [str(tmp_path), settings.database_url.get_secret_value(), str(port), redis_url]
    command = [sys.executable, "-m", "tests.serving_api.process.serving_from_two", *arguments]
    base_url = f"http://127.0.0.1:{port}"
    headers = {"Authorization": f"Bearer {organization.api_key}"}

    def ask(_: int) -> int:
        return get(f"{base_url}/api/v2/me", headers=headers).status_code

    log = tmp_path / "log"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with (
        log.open("w") as stderr_file,
        subprocess.Popen(
            command, cwd=REPOSITORY, stderr=stderr_file, text=True, env=environment
        ) as process,
    ):
        try:
            wait_until(lambda: log.read_text().count("startup complete") == 2)
            with ThreadPoolExecutor(4) as pool:
                statuses = list(pool.map(ask, range(80)))
            assert (statuses.count(200), statuses.count(429)) == (60, 20)
            wait_until(lambda: [answered(base_url) for _ in range(4)] == [80] * 4)
            assert len(list(tmp_path.glob("tracker-metrics-*/counter_*.db"))) == 2  # one per worker
            long = f"{base_url}/{'x' * MAX_TARGET_BYTES}"
            assert {get(long).status_code for _ in range(4)} == {414}
            workers = workers_of(process)
            assert len(workers) == 2
            os.kill(min(workers), signal.SIGKILL)
            wait_until(lambda: len(workers_of(process) - {min(workers)}) == 2)
            assert answered(base_url) == 80
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
    assert "Traceback" not in log.read_text()
    assert process.returncode == 0


def test_a_process_is_ready_with_its_document_and_mcp(
    tmp_path: Path, settings: Settings, organization: NewOrganization
) -> None:
    """Otherwise the first request of either would delay all others for seconds."""
    arguments = [str(tmp_path), settings.database_url.get_secret_value()]
    subprocess.run([sys.executable, "-c", LOADED, *arguments], check=True, timeout=180)
