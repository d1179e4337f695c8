"""Runs the API, in this process or in several, until it is told to stop."""

import gc
import logging
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from importlib.util import find_spec
from typing import Any

import uvicorn
from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.workers import supervise
from warehouse.logs import configure_logs, standard_handler
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

QUIET: Mapping[str, Any] = {"log_config": None, "access_log": False, "server_header": False}


def serve(settings: Settings, host: str, port: int, *, workers: int = 1) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM end it after open requests.

    The log goes to stderr; requests are noted by the application, not by the server. Several
    processes keep the limits of a minute together only through Redis: who asks for them sees to it.
    """
    _log_to_stderr()
    if workers > 1:
        supervise(settings, workers, host=host, port=port, **QUIET)
        return
    with operational_store(settings) as store:
        uvicorn.run(application(settings, store), host=host, port=port, **QUIET)


def application(
    settings: Settings, store: OperationalStore, opened: ExitStack | None = None
) -> FastAPI:
    """Return the API (see `create_app`) in a process that does nothing else."""
    _spare_looking_for_pandas()
    _log_to_stderr()
    app = create_app(settings, store, opened)
    _spare_collecting_what_stays()
    return app


def _log_to_stderr() -> None:
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO, handlers=[standard_handler(sys.stderr)])


def _spare_collecting_what_stays() -> None:
    """Leave what there is by now out of garbage collection: it stays until the process ends.

    Looking through all of it takes 0.1 s, in which no request gets on; a request that makes many
    objects, such as 500 conversions, would have it done each time.
    """
    gc.collect()
    gc.freeze()


def _spare_looking_for_pandas() -> None:
    """Remember for the process that pandas is not installed, where it is not.

    DuckDB tries to import it twice for every parameter of a query, and Python searches its folders
    anew each time: 0.08 ms a parameter, in which no other thread gets on.
    """
    if find_spec("pandas") is None:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # how Python notes an absence
