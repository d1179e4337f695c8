"""What the demo runs on: an empty folder, PostgreSQL, the simulator's process, the API."""

import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import NoReturn

import structlog
import uvicorn

from orchestration.cli.children import Child, Children
from orchestration.cli.demo.truth import Simulator
from orchestration.cli.opening import opened_store
from orchestration.cli.output import CommandFailed, complain, say
from orchestration.cli.ports import LOOPBACK, free_port
from orchestration.cli.simulate import DEMO
from orchestration.running.pipeline import run_pipeline
from orchestration.running.progress import PipelineFailed
from warehouse.clock import Clock
from warehouse.landing.folders import make_home
from warehouse.logs import configure_logs
from warehouse.operational.migrations import migrate
from warehouse.operational.server import embedded_server, is_alive
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import waiting_changes
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings

DEFAULT_HOME = Path("data/demo")
CREATORS_IN_WORLD, FRAUD = 200, 0.05
WORLD = ("--creators", str(CREATORS_IN_WORLD), "--fraud", str(FRAUD))
PATIENCE_SECONDS = 60
CHANGES_SECONDS = 2
"""Between looks for changes to publish."""


def fresh_home(settings: Settings) -> Settings:
    """Return settings with an empty folder: TRACKER_HOME, or ./data/demo. Replaces an old demo."""
    home = settings.home_path if "home" in settings.model_fields_set else DEFAULT_HOME.resolve()
    if home.exists() and any(home.iterdir()) and not (home / DEMO).exists():
        raise CommandFailed(
            f"{home} is not empty and not a demo.", "Set TRACKER_HOME to another folder."
        )
    _stop_left_behind(home / "postgres")
    shutil.rmtree(home, ignore_errors=True)
    make_home(home)
    (home / DEMO).touch()
    return settings.model_copy(update={"home": home, "database_url": None, "warehouse_url": None})


def _stop_left_behind(server: Path) -> None:
    """Stop the PostgreSQL that a killed demo left running; raises CommandFailed if it is in use."""
    if server.exists() and is_alive(server):
        with embedded_server(server):
            pass
        if is_alive(server):
            raise CommandFailed(
                f"the demo in {server.parent} is in use.",
                "Close its desk or stop its `tracker up` first.",
            )


def facing(settings: Settings, simulator: Simulator) -> Settings:
    """Return settings that scrape the local simulator alone, without a rate limit."""
    return settings.model_copy(
        update={
            **{f"{name}_base_url": f"{simulator.base_url}/{name}" for name in PLATFORMS},
            **{f"{name}_provider": "web" for name in PLATFORMS},
            **{f"{name}_providers": () for name in PLATFORMS},
            "scrape_requests_per_second": 10_000.0,
            "comment_requests_per_second": 10_000.0,
        }
    )


def start_simulator(children: Children, seed: int) -> tuple[Child, Simulator]:
    """Start the simulator on a free loopback port, without waiting for it."""
    port = free_port()
    world = ["--port", str(port), "--seed", str(seed), *WORLD]
    command = [sys.executable, "-m", "orchestration.cli", "simulate", *world]
    return children.start("simulator", command), Simulator(f"http://{LOOPBACK}:{port}")


def wait_for(child: Child, simulator: Simulator) -> None:
    """Return once the simulator answers. Raises CommandFailed if it ended or does not answer."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if child.process.poll() is not None:
            raise CommandFailed(f"{child.name} ended: {child.last_words}", f"See {child.log}.")
        if simulator.answers():
            return
        time.sleep(0.05)
    raise CommandFailed(f"{child.name} does not answer.", f"See {child.log}.")


def load_programs() -> None:
    """Import Dagster, dbt and the API, which takes seconds, while other processes start."""
    for name in ("orchestration.running.execution", "serving_api.app", "serving_api.process.serve"):
        import_module(name)


@contextmanager
def database(settings: Settings, clock: Clock) -> Iterator[OperationalStore]:
    """Run the embedded PostgreSQL, with its schema, for the demo."""
    with opened_store(settings) as store:
        migrate(store)
        yield replace(store, clock=clock)


def fetch_pictures(settings: Settings, store: OperationalStore) -> None:
    """Store the pictures of posts, which the simulator serves."""
    from warehouse.pictures.fetching import Fetcher  # noqa: PLC0415  see load_programs
    from warehouse.pictures.keeper import Keeper  # noqa: PLC0415
    from warehouse.storage.opening import open_storage  # noqa: PLC0415

    Keeper(store, open_storage(settings), Fetcher(loopback=True)).work()


def serve_desk(settings: Settings, port: int, sign_in: str) -> None:
    """Serve the desk until Ctrl-C and publish its changes; print its address as the last line."""
    settings = settings.model_copy(update={"base_url": f"http://{LOOPBACK}:{port}"})
    with opened_store(settings) as store, api(settings, store, port) as origin:
        say(f"The desk is open: {origin}/desk, {sign_in}. Ctrl-C closes it.")
        with suppress(KeyboardInterrupt):
            publish_changes(settings, store)


def publish_changes(settings: Settings, store: OperationalStore) -> NoReturn:
    """Publish what members change, as `tracker up` does. Failed changes wait for the next one."""
    tried = 0
    while True:
        time.sleep(CHANGES_SECONDS)
        with store.read_session() as session:
            waiting = waiting_changes(session, settings.shard)
        if waiting and waiting.last != tried:
            tried = waiting.last
            try:
                run_pipeline(settings, scrape=False)
            except PipelineFailed as failed:
                complain(f"{failed}.")


@contextmanager
def api(settings: Settings, store: OperationalStore, port: int = 0) -> Iterator[str]:
    """Serve the API from a thread: business time moves in this process. Yields its origin."""
    from serving_api.app import create_app  # noqa: PLC0415  see load_programs
    from serving_api.process.serve import HOW  # noqa: PLC0415

    with (settings.home_path / "logs" / "api.log").open("w") as log, socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        configure_logs(log)
        config = uvicorn.Config(create_app(settings, store), lifespan="on", **HOW)
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            # Connections wait in the socket's queue until the server accepts them.
            listening.listen()
            yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=30)
            structlog.reset_defaults()
