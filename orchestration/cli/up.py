"""`tracker up`: API, Dagster daemon and UI, and workers together, with one clean shutdown."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Annotated

import typer

from orchestration.cli.children import Child, Children
from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import CommandFailed, say
from orchestration.cli.ports import LOOPBACK, answers, free_port
from orchestration.cli.serve import Host, Port, Workers, refuse_uncounted
from orchestration.running.instance import dagster_home, write_workspace
from warehouse.locks import try_lock
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.warehouse_lock import up_lock_path

PATIENCE_SECONDS = 90
DEFINITIONS = "orchestration.definitions"
STAYING = {"webhooks": "deliver", "simulations": "simulations", "pictures": "pictures"}
"""Workers by what they are called, and their commands."""


def up(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    ui_port: Annotated[int, typer.Option(help="TCP port of Dagster's UI.", min=1)] = 3000,
    workers: Workers = 1,
    api: Annotated[
        bool,
        typer.Option("--api/--no-api", help="Without: all but the API, beside `tracker serve`."),
    ] = True,
) -> None:
    """Run everything one machine needs: API, Dagster's daemon and UI, and the workers.

    Ctrl-C or SIGTERM ends all of it in order. Logs are in TRACKER_HOME/logs, 80 MB of each at most.

    Examples: `tracker up --port 8000 --ui-port 3000`, and where `tracker serve` is a service of its
    own: `tracker up --no-api`
    """
    settings = settings_of_environment()
    refuse_uncounted(settings, workers)
    asked_to_end = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked_to_end.set())
    with _the_only_one(settings), current_store(settings) as store:
        _close_abandoned_runs(settings, store)
        _refuse_taken(LOOPBACK, ui_port)
        with Children(settings.home_path / "logs") as children:
            if api:
                _start_api(children, settings, (host, port), workers)
            _start_dagster(children, settings, ui_port, asked_to_end)
            for name, command in STAYING.items():
                _start(children, settings, name, ["orchestration.cli", command, "--stay"])
            if api:
                _wait_for(children, host, port, asked_to_end)
                say(f"API      http://{host}:{port}/docs")
                say(f"Desk     http://{host}:{port}/desk, after `tracker user set-password`")
            say(f"Dagster  http://{LOOPBACK}:{ui_port}")
            say(f"Logs     {settings.home_path / 'logs'}")
            _watch(children, asked_to_end)
    say("Everything has ended.")


def _close_abandoned_runs(settings: Settings, store: OperationalStore) -> None:
    # Dagster takes seconds to load: the other commands do without it.
    from orchestration.running.runs import (  # noqa: PLC0415
        InstanceUnusableError,
        close_abandoned_runs,
        close_dead_runs,
        open_instance,
    )

    try:
        with open_instance(settings) as instance:
            close_abandoned_runs(instance)
            close_dead_runs(instance, store)
    except InstanceUnusableError as wrong:
        raise CommandFailed(f"{wrong}.", "See TRACKER_DAGSTER_SETTINGS.", exit_code=2) from wrong


def _start_dagster(
    children: Children, settings: Settings, ui_port: int, asked_to_end: Event
) -> None:
    """Start the code server, wait for it, then what depends on it."""
    code_port = free_port()
    workspace = str(write_workspace(settings, port=code_port))
    modules = {
        "code": ["dagster", "api", "grpc", "-m", DEFINITIONS, *_at(LOOPBACK, code_port)],
        "daemon": ["dagster._daemon", "run", "-w", workspace, "--log-level", "warning"],
        "ui": ["dagster_webserver", "-w", workspace, *_at(LOOPBACK, ui_port)],
    }
    for name, module in modules.items():
        _start(children, settings, name, [*module, "--log-format", "json"])
        if name == "code":
            _wait_for(children, LOOPBACK, code_port, asked_to_end)


def _start_api(children: Children, settings: Settings, at: tuple[str, int], workers: int) -> None:
    _refuse_taken(*at)
    module = ["orchestration.cli", "serve", *_at(*at), "--workers", str(workers)]
    _start(children, settings, "api", module)


def _start(children: Children, settings: Settings, name: str, module: list[str]) -> None:
    children.start(name, [sys.executable, "-m", *module], _environment(settings))


def _watch(children: Children, asked_to_end: Event) -> None:
    """Wait for the signal; a child that ends by itself ends everything."""
    while not asked_to_end.wait(0.5):
        _refuse_dead(children.first_dead())
        children.set_logs_aside()
    say("Ending ...")


def _wait_for(children: Children, host: str, port: int, asked_to_end: Event) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not answers(host, port) and not asked_to_end.wait(0.1):
        _refuse_dead(children.first_dead())
        if time.monotonic() > deadline:
            raise CommandFailed(f"nothing answers at {host}:{port} after {PATIENCE_SECONDS} s.")


def _refuse_dead(child: Child | None) -> None:
    if child is not None:
        raise CommandFailed(f"{child.name} ended: {child.last_words}", f"See {child.log}.")


@contextmanager
def _the_only_one(settings: Settings) -> Iterator[None]:
    """Hold the folder's `up.lock`, so that no two daemons work on one installation."""
    settings.home_path.mkdir(parents=True, exist_ok=True)
    with up_lock_path(settings).open("w") as lock:
        if not try_lock(lock):
            raise CommandFailed(
                f"`tracker up` already runs on {settings.home_path}.", "End that one first."
            )
        yield


def _environment(settings: Settings) -> dict[str, str]:
    """Return what children need to find the same folder from wherever they are."""
    return {
        **os.environ,
        "TRACKER_HOME": str(settings.home_path),
        "DAGSTER_HOME": str(dagster_home(settings)),
        "PYTHONUNBUFFERED": "1",
        "GRPC_VERBOSITY": "ERROR",  # else a line for each process that a sensor starts
    }


def _at(host: str, port: int) -> list[str]:
    return ["--host", host, "--port", str(port)]


def _refuse_taken(host: str, port: int) -> None:
    if answers(host, port):
        raise CommandFailed(f"port {port} is taken.", "Choose others: --port, --ui-port.")
