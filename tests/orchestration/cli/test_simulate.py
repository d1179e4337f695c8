"""`tracker simulate`: the simulated platforms in a process of their own."""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import httpx
import pytest

from orchestration.cli.demo.stage import facing
from orchestration.cli.demo.truth import Simulator
from orchestration.cli.output import CommandFailed
from orchestration.cli.ports import free_port
from orchestration.cli.simulate import DEMO, only_simulated, require_made_up
from scrapers.simulator import World
from scrapers.simulator.records import Kind
from tests.factories.tracking import add_account, add_video
from tests.fixtures.processes import wait_until_answered
from tests.orchestration.commands import environment, tracker_here
from warehouse.clock import system_clock
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import REPOSITORY, Settings


@pytest.mark.slow
def test_it_shows_the_world_at_an_instant() -> None:
    port = free_port()
    command = [sys.executable, "-m", "orchestration.cli", "simulate", "--port", str(port)]
    then = ["--creators", "20", "--now", "2026-09-10T12:00:00+02:00"]
    process = subprocess.Popen([*command, *then], stderr=subprocess.PIPE, text=True)
    origin = f"http://127.0.0.1:{port}"
    try:
        wait_until_answered(origin, process)
        clock = httpx.get(f"{origin}/_simulator/clock", trust_env=False).json()
        response = httpx.get(f"{origin}/_simulator/creators?platform=instagram", trust_env=False)
    finally:
        process.kill()
        _, printed = process.communicate()
    assert clock["now"] == "2026-09-10T10:00:00+00:00"
    assert "_simulator" not in printed  # the simulator's own page is not listed
    handles = re.findall(r"@([\w.]+)", printed)
    assert len(handles) == 5
    assert all(f'"{handle}"' in response.text for handle in handles)
    assert f"`{handles[0]}`" in (REPOSITORY / "docs/get-started.md").read_text("utf-8")


def test_an_instant_without_an_offset_is_refused_before_anything_starts() -> None:
    refused = tracker_here("simulate", "--now", "2026-09-10", env={})
    assert refused.returncode == 2
    assert (
        "--now: '2026-09-10' is not a time with UTC offset. Write e.g. 2026-03-01T06:00:00Z"
        in refused.stderr
    )


@pytest.mark.parametrize("command", ["run", "scrape", "up"])
def test_creators_of_a_demo_are_requested_at_no_real_platform(command: str, tmp_path: Path) -> None:
    (tmp_path / DEMO).touch()
    refused = tracker_here(command, env=environment(tmp_path))
    assert refused.returncode == 2
    assert f"{tmp_path} is a demo, whose creators no platform has." in refused.stderr
    assert not (tmp_path / "postgres").exists()


def test_with_the_simulator_and_in_the_demo_no_paid_provider_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRACKER_SCRAPECREATORS_API_KEY", "key")
    monkeypatch.setenv("TRACKER_TIKTOK_PROVIDERS", "scrapecreators,web")
    monkeypatch.setenv("TRACKER_INSTAGRAM_PROVIDER", "scrapecreators")
    monkeypatch.setenv("NO_PROXY", "one.invalid")
    paid = Settings()
    demo = facing(paid, Simulator("http://127.0.0.1:9000"))
    for name, value in only_simulated("http://127.0.0.1:9000").items():
        monkeypatch.setenv(name, value)
    simulated = Settings()
    chains = [[each.providers_of(name) for name in PLATFORMS] for each in (paid, simulated, demo)]
    free = [("web",), ("web",)]
    assert chains == [[("scrapecreators", "web"), ("scrapecreators",)], free, free]
    assert urllib.request.proxy_bypass_environment("127.0.0.1")
    assert urllib.request.proxy_bypass_environment("one.invalid")


def test_only_an_installation_without_real_creators_and_posts_is_simulated(
    store: OperationalStore, organization: NewOrganization
) -> None:
    world, now = World(), system_clock()
    renamed = world.handles("tiktok", kind=Kind.RENAMED)[0]
    for handle in (*world.handles("tiktok", at=now)[:5], renamed):
        add_account(store, organization, handle)
    [post, *_] = world.posts("tiktok", world.handles("tiktok", at=now)[0], now)
    add_video(store, organization, post.platform_video_id)
    add_account(store, organization, "left.long.ago", is_active=False)
    require_made_up(store)
    add_video(store, organization, "7682837474828000015")
    with pytest.raises(CommandFailed, match=r"tracks https://www\.tiktok\.com/@/video/76828"):
        require_made_up(store)
    add_account(store, organization, "real.person", deactivated_at=now)
    with pytest.raises(CommandFailed, match=r"tracks @real\.person, which .* report as gone"):
        require_made_up(store)
