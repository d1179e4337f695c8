"""The API in a process of its own: its log, and what such a process can spare itself."""

import gc
import sys
from contextlib import ExitStack
from pathlib import Path

from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.process.traces import telemetry
from warehouse.logs import log_to_stderr
from warehouse.operational.store import OperationalStore
from warehouse.pandas import spare_looking_for_pandas
from warehouse.settings import Settings

SWITCH_SECONDS = 0.0005
"""For how long a thread keeps the interpreter (CPython 3.11) while others wait for it.

A request takes it back after each answer of PostgreSQL, some ten times, and waits each time for
every thread that computes. With Python's 5 ms, `GET /me` beside one busy organization took 29 ms in
the median instead of 11, and the busy one got three reads for five.
"""


def application(
    settings: Settings,
    store: OperationalStore,
    opened: ExitStack | None = None,
    compute_socket: Path | None = None,
) -> FastAPI:
    """Return the API (see `create_app`) in a process that does nothing else."""
    sys.setswitchinterval(SWITCH_SECONDS)
    spare_looking_for_pandas()
    log_to_stderr()
    app = create_app(settings, store, opened, telemetry(), compute_socket)
    spare_collecting_what_stays()
    return app


def spare_collecting_what_stays() -> None:
    """Leave what there is by now out of garbage collection: it stays until the process ends.

    Looking through all of it takes 0.1 s, in which no request gets on; a request that makes many
    objects, such as 500 conversions, would have it done each time. What is cached of publications
    comes later and is as much: it is looked through once in four million new objects. New ones are
    looked through 10,000 at a time, for 3 ms: at 50,000, a list of 2,000 accounts stopped everybody
    for 7 to 16 ms each time (CPython 3.11).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 1, 400)
