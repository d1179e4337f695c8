"""The API in its own process: logging and interpreter settings."""

import gc
import sys
from contextlib import ExitStack
from importlib import import_module

from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.process.traces import telemetry
from warehouse.loading import loading, spare_looking_for_pandas
from warehouse.logs import log_to_stderr
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

SWITCH_SECONDS = 0.0005
"""How long a thread keeps the interpreter (CPython 3.11) while others wait.

A request reacquires it after each of about ten PostgreSQL responses, and waits each time for every
computing thread. With Python's 5 ms, the median of `GET /me` beside one busy organization was 29
ms instead of 11, and the busy one made three reads instead of five.
"""


def application(
    settings: Settings,
    store: OperationalStore,
    opened: ExitStack | None = None,
) -> FastAPI:
    """Return the API (see `create_app`) for a process that does nothing else."""
    sys.setswitchinterval(SWITCH_SECONDS)
    spare_looking_for_pandas()
    log_to_stderr()
    app = create_app(settings, store, opened, telemetry())
    _prepare(app)
    spare_collecting_what_stays()
    return app


def _prepare(app: FastAPI) -> None:
    """Do before the process is ready what would hold up the first requests for three seconds."""
    with loading():
        import_module("serving_api.mcp.server")
        app.openapi()


def spare_collecting_what_stays() -> None:
    """Exclude existing objects from garbage collection, since they live as long as the process.

    A full collection takes 0.1 s and blocks all requests; a request that creates many objects,
    such as 500 conversions, would trigger one each time. Later objects, such as cached
    publications, are fully collected once per four million new objects. The youngest generation
    has 10,000 objects, for 3 ms; with 50,000, a list of 2,000 accounts blocked everything for 7 to
    16 ms each time (CPython 3.11).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 1, 400)
