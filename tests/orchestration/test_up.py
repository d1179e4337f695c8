"""`tracker up`: everything answers, and everything is gone afterwards."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.orchestration.commands import environment, started, tracker_here


def free_ports() -> tuple[str, str]:
    with socket.socket() as first, socket.socket() as second:
        for probe in (first, second):
            probe.bind(("127.0.0.1", 0))
        return str(first.getsockname()[1]), str(second.getsockname()[1])


def descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [found for child in map(int, children) for found in (child, *descendants(child))]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_api_daemon_and_ui_start_together_and_end_together(
    tmp_path: Path, database_url: str
) -> None:
    nowhere = "http://127.0.0.1:9"  # no test ever asks the real platforms
    env = environment(
        tmp_path,
        database_url,
        TRACKER_TIKTOK_BASE_URL=nowhere,
        TRACKER_INSTAGRAM_BASE_URL=nowhere,
    )
    api, ui = free_ports()
    ports = ["--port", api, "--ui-port", ui]
    up = started("up", *ports, env=env)
    assert up.stderr is not None
    said = [up.stderr.readline() for _ in range(3)]
    assert said[0].split() == ["API", f"http://127.0.0.1:{api}/docs"]
    try:
        assert httpx.get(f"http://127.0.0.1:{api}/healthz").status_code == httpx.codes.OK
        second = tracker_here("up", *ports, env=env)
        assert second.returncode == 1
        assert "already runs" in second.stderr
        family = descendants(up.pid)
        assert len(family) >= 5
    finally:
        up.send_signal(signal.SIGTERM)
        _, rest = up.communicate(timeout=60)
    assert up.returncode == 0, rest
    assert rest.splitlines()[-1] == "Everything has ended."
    assert [pid for pid in family if is_alive(pid)] == []


@pytest.mark.slow
def test_dagster_runs_alone_where_the_api_has_processes_of_its_own(
    tmp_path: Path, database_url: str
) -> None:
    _, ui = free_ports()
    up = started("up", "--no-api", "--ui-port", ui, env=environment(tmp_path, database_url))
    assert up.stderr is not None
    try:
        assert up.stderr.readline().split() == ["Dagster", f"http://127.0.0.1:{ui}"]
        assert not (tmp_path / "logs" / "api.log").exists()
    finally:
        up.send_signal(signal.SIGTERM)
        _, rest = up.communicate(timeout=60)
    assert up.returncode == 0, rest
    logs = [log.read_text(encoding="utf-8") for log in (tmp_path / "logs").glob("*.log")]
    told = [json.loads(line) for log in logs for line in log.splitlines()]
    assert "dagster.code_server" in {line.get("logger") for line in told}


def test_a_taken_port_is_said_before_anything_starts(tmp_path: Path, database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused: subprocess.CompletedProcess[str] = tracker_here(
            "up", "--port", port, env=environment(tmp_path, database_url)
        )
    assert refused.returncode == 1
    assert f"port {port} is taken" in refused.stderr
