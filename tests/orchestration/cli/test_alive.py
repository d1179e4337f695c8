"""Processes report to supervisors that they are alive."""

import asyncio
from pathlib import Path
from socket import gethostname, socket
from threading import Event

import pytest

from orchestration.cli import alive
from orchestration.cli.scrape import _named_worker, _stay
from warehouse.operational.pipeline_signs import scraper_signs, show_scraper
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def test_systemd_and_the_probe_see_life_while_the_loop_runs(
    tmp_path: Path, systemd: socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alive, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("NOTIFY_SOCKET", systemd.getsockname())

    beat = Event()

    async def work() -> None:
        task = asyncio.create_task(alive.show_life_repeatedly("scrape", beat.set))
        assert await asyncio.to_thread(beat.wait, 120)
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


def test_staying_workers_have_unique_names_that_successors_reuse(
    settings: Settings, store: OperationalStore
) -> None:
    begins = f"{gethostname()} {settings.home_path}/scraper-"

    def names() -> list[str]:
        with store.read_session() as session:
            return [name.removeprefix(begins).split()[0] for name in scraper_signs(session)]

    with _named_worker(settings, store) as first:
        show_scraper(store, first)
        with _named_worker(settings, store) as second:
            show_scraper(store, second)
            assert names() == ["1", "2"]
        with _named_worker(settings, store) as following:
            show_scraper(store, following)
            assert names() == ["1", "2"]
        assert names() == ["1"]
    assert names() == []


def test_workers_of_machines_with_equal_host_names_have_different_names(
    settings: Settings, store: OperationalStore, tmp_path: Path
) -> None:
    settings = settings.model_copy(update={"home": tmp_path / "home"})
    with _named_worker(settings, store) as one:
        settings.home_path.rename(tmp_path / "of the first machine")
        with _named_worker(settings, store) as other:
            assert other != one


def test_a_platform_with_much_to_fetch_delays_no_other_platform() -> None:
    ticks: list[str] = []

    async def fetch(platform: str) -> dict[str, int]:
        ticks.append(platform)
        if platform == "instagram":
            await asyncio.Event().wait()
        if ticks.count("tiktok") == 3:
            raise RuntimeError("the third tick of TikTok")
        return {}

    with pytest.raises(RuntimeError, match="third tick"):
        asyncio.run(_stay(fetch, every=0, on_life=lambda: None))
    assert ticks.count("instagram") == 1
