"""The API in a process of its own: its log, and what such a process can spare itself."""

import gc
import sys
from contextlib import ExitStack
from importlib.util import find_spec

from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.process.traces import telemetry
from warehouse.logs import log_to_stderr
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings


def application(
    settings: Settings, store: OperationalStore, opened: ExitStack | None = None
) -> FastAPI:
    """Return the API (see `create_app`) in a process that does nothing else."""
    spare_looking_for_pandas()
    log_to_stderr()
    app = create_app(settings, store, opened, telemetry())
    spare_collecting_what_stays()
    return app


def spare_collecting_what_stays() -> None:
    """Leave what there is by now out of garbage collection: it stays until the process ends.

    Looking through all of it takes 0.1 s, in which no request gets on; a request that makes many
    objects, such as 500 conversions, would have it done each time. What is kept of publications
    comes later and is as much: it is looked through once in two million new objects.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 40)


def spare_looking_for_pandas() -> None:
    """Remember for the process that pandas is not installed, where it is not.

    DuckDB tries to import it twice for every parameter of a query, and Python searches its folders
    anew each time: 0.08 ms a parameter, in which no other thread gets on.
    """
    if find_spec("pandas") is None:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # how Python notes an absence
