"""Several processes that serve together, supervised by uvicorn: one that ends or hangs is replaced.

They share the listening socket, and count into one folder for /metrics.
"""

import os
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from warehouse.settings import Settings

COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable by which prometheus_client knows of several processes when it loads."""
HUNG_AFTER_SECONDS = 30


def supervise(settings: Settings, workers: int, **how: Any) -> None:
    """Serve from so many processes until told to stop; `how` is uvicorn's."""
    config = uvicorn.Config(
        partial(_application, settings),
        factory=True,
        workers=workers,
        timeout_worker_healthcheck=HUNG_AFTER_SECONDS,
        **how,
    )
    with TemporaryDirectory(prefix="tracker-metrics-") as folder:
        os.environ[COUNTERS] = folder
        Multiprocess(config, [config.bind_socket()]).run()


def _application(settings: Settings) -> FastAPI:
    """Return the application of one process, with a store of its own."""
    # Loaded as late as this, when the process answers its supervisor already.
    from serving_api import serve  # noqa: PLC0415
    from warehouse.operational.store import operational_store  # noqa: PLC0415

    opened = ExitStack()
    return serve.application(settings, opened.enter_context(operational_store(settings)), opened)
