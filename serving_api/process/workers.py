"""Several processes that serve together, supervised by uvicorn: one that ends or hangs is replaced.

They share the listening socket and the counters.
"""

from contextlib import ExitStack
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from serving_api.process.counters import shared_counters
from warehouse.settings import Settings

HUNG_AFTER_SECONDS = 120
"""Long enough to load the application on a busy machine: it answers nobody before."""


def supervise(settings: Settings, workers: int, **how: Any) -> None:
    """Serve from so many processes until told to stop; `how` is uvicorn's."""
    config = uvicorn.Config(
        partial(_application, settings),
        factory=True,
        workers=workers,
        timeout_worker_healthcheck=HUNG_AFTER_SECONDS,
        **how,
    )
    with shared_counters():
        _Supervisor(config, [config.bind_socket()]).run()


class _Supervisor(Multiprocess):
    """Notices a worker's end at once, also of one that just then owes the answer to a ping.

    While the supervisor holds the worker's end of their pipe too, a death does not close it, and
    that answer is waited for as long as for one that hangs.
    """

    def keep_subprocess_alive(self) -> None:
        for worker in self.processes:
            worker.child_conn.close()
        super().keep_subprocess_alive()


def _application(settings: Settings) -> FastAPI:
    """Return the application of one process, with a store of its own."""
    # Loaded as late as this, so that the process soon answers its supervisor.
    from serving_api.process.application import application  # noqa: PLC0415
    from warehouse.operational.store import operational_store  # noqa: PLC0415

    opened = ExitStack()
    return application(settings, opened.enter_context(operational_store(settings)), opened)
