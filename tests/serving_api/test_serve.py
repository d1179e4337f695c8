"""Serving for real: a process that answers until it is told to stop."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

SERVE = """
import sys
from serving_api.serve import serve
from warehouse.settings import Settings
serve(Settings(home=sys.argv[1], database_url=sys.argv[2]), "127.0.0.1", int(sys.argv[3]))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_answered(url: str) -> httpx.Response:
    deadline = time.monotonic() + 60
    while True:
        try:
            return httpx.get(url, trust_env=False)
        except httpx.TransportError:
            assert time.monotonic() < deadline, "the API did not start"


def test_it_answers_and_ends_cleanly(tmp_path: Path, database_url: str) -> None:
    port = free_port()
    arguments = [str(tmp_path), database_url, str(port)]
    command = [sys.executable, "-c", SERVE, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            response = wait_until_answered(f"http://127.0.0.1:{port}/readyz")
        finally:
            process.send_signal(signal.SIGTERM)
            _, log = process.communicate(timeout=30)
    assert response.json()["postgresql"] == "ok"
    assert "server" not in response.headers
    assert "Traceback" not in log
    assert process.returncode in (0, -signal.SIGTERM)
