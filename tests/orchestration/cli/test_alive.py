"""Processes show supervisors that they work."""

import asyncio
from pathlib import Path
from socket import socket

import pytest

from orchestration.cli import alive


def test_systemd_and_the_probe_see_life_while_the_loop_runs(
    tmp_path: Path, systemd: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alive, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("NOTIFY_SOCKET", systemd.getsockname())

    async def work() -> None:
        task = asyncio.create_task(alive.show_life_repeatedly("scrape"))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(work())
    assert systemd.recv(100) == b"WATCHDOG=1"
    assert [file.name for file in tmp_path.iterdir()] == ["scrape.alive"]


def test_without_a_supervisor_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alive, "gettempdir", lambda: str(tmp_path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    alive.show_life("up")
    assert list(tmp_path.iterdir()) == []
