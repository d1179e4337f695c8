"""What the demo plays on: a fresh folder, and the simulator and the API as their own processes."""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx

from orchestration.cli.children import Child, Children
from orchestration.cli.demo.rest import Rest
from orchestration.cli.demo.truth import Simulator
from orchestration.cli.opening import opened_store
from orchestration.cli.output import CommandFailed
from orchestration.cli.ports import LOOPBACK, free_port
from warehouse.operational.migrations import migrate
from warehouse.operational.server import embedded_server, is_alive
from warehouse.operational.store import OperationalStore
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

DEFAULT_HOME = Path("data/demo")
MARKER = "this-is-a-demo"
CREATORS_IN_WORLD = 200
PATIENCE_SECONDS = 60
_SITES = {f"{platform}_base_url": platform for platform in PLATFORMS}
"""The settings of where platforms are asked, and the simulator's path in their place."""


def fresh_home(settings: Settings) -> Settings:
    """Return settings on an empty folder: TRACKER_HOME, else ./data/demo. Replaces an old demo."""
    home = settings.home_path if "home" in settings.model_fields_set else DEFAULT_HOME.resolve()
    if home.exists() and any(home.iterdir()) and not (home / MARKER).exists():
        raise CommandFailed(
            f"{home} holds something else than a demo.", "Set TRACKER_HOME to another folder."
        )
    _stop_left_behind(home / "postgres")
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    (home / MARKER).touch()
    return settings.model_copy(update={"home": home, "database_url": None, "warehouse_url": None})


def _stop_left_behind(server: Path) -> None:
    """Stop the old demo's PostgreSQL should it have outlived a killed demo; it may be in use."""
    if server.exists() and is_alive(server):
        with embedded_server(server):
            pass
        if is_alive(server):
            raise CommandFailed(
                f"the demo in {server.parent} is in use.", "End `tracker up` on it first."
            )


def facing(settings: Settings, simulator: Simulator) -> Settings:
    """Return settings that scrape the simulator, as fast as it goes: it is ours and nearby."""
    return settings.model_copy(
        update={
            **{setting: f"{simulator.base_url}/{site}" for setting, site in _SITES.items()},
            "scrape_requests_per_second": 10_000.0,
            "comment_requests_per_second": 10_000.0,
        }
    )


@contextmanager
def simulator(children: Children, seed: int) -> Iterator[Simulator]:
    """Start the simulator on a free port of loopback."""
    port = free_port()
    world = ["--port", str(port), "--seed", str(seed), "--creators", str(CREATORS_IN_WORLD)]
    child = children.start("simulator", _tracker("simulate", *world))
    with closing(Simulator(f"http://{LOOPBACK}:{port}")) as started:
        wait_until_it_answers(child, f"{started.base_url}/_simulator/clock")
        yield started


@contextmanager
def api(children: Children, name: str, settings: Settings, api_key: str) -> Iterator[Rest]:
    """Start the API at the settings' business time on a free port of loopback."""
    port = free_port()
    serve = _tracker("serve", "--port", str(port))
    child = children.start(name, serve, _environment(settings))
    origin = f"http://{LOOPBACK}:{port}"
    wait_until_it_answers(child, f"{origin}/healthz")
    with closing(Rest(origin, api_key)) as rest:
        yield rest
    child.process.terminate()
    child.process.wait()


@contextmanager
def database(settings: Settings) -> Iterator[OperationalStore]:
    """Start the embedded PostgreSQL, with the schema in it, for the length of the demo."""
    with opened_store(settings) as store:
        migrate(store)
        yield store


def _environment(settings: Settings) -> dict[str, str]:
    """Return what the demo's settings look like to another process."""
    values = dict(settings)
    return {
        **os.environ,
        "TRACKER_HOME": str(settings.home_path),
        "TRACKER_NOW": settings.clock().isoformat(),
        **{f"TRACKER_{setting.upper()}": values[setting] for setting in _SITES},
        "TRACKER_DATABASE_URL": "",
        "TRACKER_WAREHOUSE_URL": "",
    }


def _tracker(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "orchestration.cli", *arguments]


def wait_until_it_answers(child: Child, url: str) -> None:
    """Return once a URL of a child is answered, however. Raises CommandFailed where it ended."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if child.process.poll() is not None:
            raise CommandFailed(f"{child.name} ended: {child.last_words}", f"See {child.log}.")
        with suppress(httpx.TransportError):
            httpx.get(url, timeout=5)
            return
        time.sleep(0.05)
    raise CommandFailed(f"{child.name} does not answer at {url}.", f"See {child.log}.")
