"""`tracker up`: API, Dagster daemon and UI, and workers, stopped together."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated

import typer

from orchestration.cli.alive import show_life
from orchestration.cli.children import Child, Children
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import CommandFailed, say
from orchestration.cli.ports import LOOPBACK, answers, free_port, preferred_port, require_free
from orchestration.cli.serve import Host, Port, Workers, refuse_uncounted
from orchestration.cli.simulate import only_simulated, refuse_demo, require_made_up, some_handles
from orchestration.running.instance import dagster_home, unused_files, write_workspace
from warehouse.dagster_settings import DAGSTER_SCHEMA
from warehouse.landing.folders import make_home
from warehouse.locks import try_lock
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.shards.lease import Lease, held
from warehouse.warehouse_lock import up_lock_path

if TYPE_CHECKING:
    from orchestration.running.upkeep import Upkeep

FIRST_WORD_SECONDS = 15
"""A process that does not answer is reported after this many seconds, then at double intervals."""
SIMULATOR_PORT = 9000
DEFINITIONS = "orchestration.definitions"
STAYING = {"webhooks": "deliver", "pictures": "pictures"}
"""Workers by name, and their commands."""


def up(  # noqa: PLR0917  options, each by its name
    host: Host = "127.0.0.1",
    port: Port = 8000,
    ui_port: Annotated[
        int, typer.Option(help="TCP port of Dagster's UI.", min=1, max=65535)
    ] = 3000,
    workers: Workers = 1,
    api: Annotated[
        bool,
        typer.Option(
            "--api/--no-api", help="Run the API here, or separately with `tracker serve`."
        ),
    ] = True,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Read made-up platforms alone, which run here too.")
    ] = False,
) -> None:
    """Run everything that one machine needs: API, Dagster's daemon and UI, and the workers.

    Ctrl-C or SIGTERM stops all of it in order. A process that ends by itself is reported and
    restarted; the others continue. Logs are in TRACKER_HOME/logs, at most 80 MB each.

    Examples: `tracker up --port 8000 --ui-port 3000`, or with a separate `tracker serve`:
    `tracker up --no-api`
    """
    simulator_port = preferred_port(SIMULATOR_PORT)
    if simulate:
        os.environ |= only_simulated(f"http://{LOOPBACK}:{simulator_port}")
    settings = settings_of_environment()
    refuse_demo(settings)
    refuse_uncounted(settings, workers)
    stop_requested = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop_requested.set())
    with (
        _the_only_one(settings),
        current_store(settings) as store,
        _the_only_one_of_its_history(settings, store) as lease,
        _upkeep(settings, lease) as upkeep,
    ):
        require_free(LOOPBACK, ui_port, "--ui-port")
        server_log = settings.home_path / "postgres" / "server.log"  # if PostgreSQL is embedded
        with Children(settings.home_path / "logs", server_log) as children:
            if simulate:
                require_made_up(store)
                _start(children, settings, "simulator", "simulate", "--port", str(simulator_port))
            serving = _start_api(children, settings, (host, port), workers) if api else None
            for name, command in STAYING.items():
                _start(children, settings, name, command, "--stay")
            ui = _start_dagster(children, settings, ui_port, stop_requested)
            watched = (lease, children.end, stop_requested)
            Thread(target=upkeep.watch, args=watched, name="upkeep", daemon=True).start()
            if serving:
                _wait_for(children, serving, (host, port), stop_requested)
            _wait_for(children, ui, (LOOPBACK, ui_port), stop_requested)
            if not stop_requested.is_set():
                origin = f"http://{host}:{port}" if api else None
                _say_ready(settings, origin, ui_port, some_handles() if simulate else None)
            _watch(children, stop_requested)
    if upkeep.ended_by:
        raise CommandFailed(
            "another `tracker up` took over Dagster's history while this one stood still.",
            "Run one of them.",
        )
    say("Stopped.")


@contextmanager
def _upkeep(settings: Settings, lease: Lease) -> Iterator["Upkeep"]:
    """Open Dagster's history, and mend what an older `tracker up` left behind."""
    # Dagster takes seconds to load; other commands do not load it.
    from orchestration.running.postgresql import (  # noqa: PLC0415
        HistoryUnusableError,
        history_errors,
        open_instance,
        require_usable,
    )
    from orchestration.running.upkeep import Upkeep  # noqa: PLC0415

    for folder in unused_files(settings):
        say(f"Dagster's history is in PostgreSQL now: {folder} is unused, remove it.")
    try:
        with open_instance(settings) as instance:
            require_usable(instance)
            upkeep = Upkeep(settings, instance)
            with history_errors():
                upkeep.mend(lease)
            yield upkeep
            with history_errors():
                upkeep.require_readable()
    except HistoryUnusableError as wrong:
        raise CommandFailed(f"{wrong}.", wrong.way_out, exit_code=2) from wrong


def _start_dagster(
    children: Children, settings: Settings, ui_port: int, stop_requested: Event
) -> Child:
    """Start the code server, wait for it, then start its dependants; return the UI."""
    code_port = free_port()
    workspace = ["-w", str(write_workspace(settings, port=code_port))]

    def start(name: str, *command: str) -> Child:
        return children.start(name, [*command, "--log-format", "json"], _environment(settings))

    at = LOOPBACK, code_port
    code = start("code", *module("dagster"), "api", "grpc", "-m", DEFINITIONS, *_at(*at))
    _wait_for(children, code, at, stop_requested)
    program = str(Path(sys.executable).with_name("dagster-daemon"))
    start("daemon", program, "run", *workspace, "--log-level", "warning")
    return start("ui", *module("dagster_webserver"), *workspace, *_at(LOOPBACK, ui_port))


def _start_api(children: Children, settings: Settings, at: tuple[str, int], workers: int) -> Child:
    require_free(*at)
    return _start(children, settings, "api", "serve", *_at(*at), "--workers", str(workers))


def _start(children: Children, settings: Settings, name: str, *command: str) -> Child:
    return children.start(name, [*module("orchestration.cli"), *command], _environment(settings))


def module(name: str) -> list[str]:
    return [sys.executable, "-m", name]


def _say_ready(settings: Settings, origin: str | None, ui_port: int, simulated: str | None) -> None:
    if origin:
        say(f"API      {origin}/docs")
        say(f"Desk     {origin}/desk, after `tracker user set-password`")
    say(f"Dagster  http://{LOOPBACK}:{ui_port}")
    if simulated:
        say(f"Track    {simulated}: made up, on both platforms")
    say(f"Logs     {settings.home_path / 'logs'}")


def _watch(children: Children, stop_requested: Event) -> None:
    """Restart ended children until a signal arrives."""
    while not stop_requested.wait(0.5):
        _restart_ended(children)
    say("Stopping ...")


def _restart_ended(children: Children) -> None:
    show_life("up")
    children.set_logs_aside()
    for child in children.restart_ended():
        say(f"{child.name} ended ({child.ending}): {child.last_words}")
        say(f"{child.name} restarts in {child.wait_seconds:.0f} s. See {child.log}.")


def _wait_for(children: Children, child: Child, at: tuple[str, int], stop_requested: Event) -> None:
    """Wait without limit until a process answers; the others keep running."""
    began, report_at = time.monotonic(), FIRST_WORD_SECONDS
    while not answers(*at) and not stop_requested.wait(0.1):
        _restart_ended(children)
        waited = time.monotonic() - began
        if waited >= report_at:
            where = ":".join(map(str, at))
            say(f"Still waiting for {child.name} at {where} after {waited:.0f} s. See {child.log}.")
            report_at *= 2


@contextmanager
def _the_only_one(settings: Settings) -> Iterator[None]:
    """Hold the folder's `up.lock`, so that only one `tracker up` runs per installation."""
    make_home(settings.home_path)
    with up_lock_path(settings).open("w") as lock:
        if not try_lock(lock):
            raise CommandFailed(
                f"`tracker up` already runs on {settings.home_path}.", "Stop it first."
            )
        yield


@contextmanager
def _the_only_one_of_its_history(settings: Settings, store: OperationalStore) -> Iterator[Lease]:
    """Hold the lease of the history; a lost machine's ends after a minute.

    Two daemons of one history would start and close each other's runs.
    """

    def refuse(holder: str) -> None:
        raise CommandFailed(
            f"Another `tracker up` ({holder}) has Dagster's history in PostgreSQL.",
            "Run one of them: it computes all shards.",
        )

    left = up_lock_path(settings).with_suffix(".fence")
    with held(store, DAGSTER_SCHEMA, left, refuse) as lease:
        yield lease


def _environment(settings: Settings) -> dict[str, str]:
    """Return the environment in which children find the same folder from any directory."""
    return {
        **os.environ,
        "TRACKER_HOME": str(settings.home_path),
        "DAGSTER_HOME": str(dagster_home(settings)),
        "PYTHONUNBUFFERED": "1",
        "GRPC_VERBOSITY": "ERROR",  # otherwise a line for each process of a sensor
    }


def _at(host: str, port: int) -> list[str]:
    return ["--host", host, "--port", str(port)]
