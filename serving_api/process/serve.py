"""Runs the API, in this process or in several, until it is told to stop."""

import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from serving_api.process.application import application
from serving_api.process.compute_worker import HOW, compute_worker
from serving_api.process.counters import shared_counters
from serving_api.rate_limit.lease import counting_alone
from warehouse.logs import log_to_stderr
from warehouse.operational.store import operational_store
from warehouse.publication.shared.following import following
from warehouse.settings import Settings
from warehouse.umask import be_private

# They share the listening socket and the counters.

HUNG_AFTER_SECONDS = 120
"""Long enough to load the application on a busy machine: it answers nobody before."""


def supervise(settings: Settings, compute_socket: Path, workers: int, **how: Any) -> None:
    """Serve from so many processes until told to stop; `how` is uvicorn's."""
    config = uvicorn.Config(
        partial(_application, settings, compute_socket),
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


def _application(settings: Settings, compute_socket: Path) -> FastAPI:
    """Return the application of one process, with a store of its own."""
    # Loaded as late as this, so that the process soon answers its supervisor.
    from serving_api.process.application import application  # noqa: PLC0415
    from warehouse.operational.store import operational_store  # noqa: PLC0415

    opened = ExitStack()
    store = opened.enter_context(operational_store(settings))
    return application(settings, store, opened, compute_socket)


NOT_STARTED = 3
"""The exit code of uvicorn where it could not begin, such as on a port that is taken."""


def serve(settings: Settings, host: str, port: int, *, workers: int = 1) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM end it after open requests.

    The log goes to stderr. A node takes publications from the bucket meanwhile. Several processes
    keep the limits of a minute together only through Redis: who asks for them sees to it. Raises
    AnotherServesError where several servers would.
    """
    be_private()
    log_to_stderr()
    with following(settings), compute_worker(settings) as compute_socket:
        _serve(settings, compute_socket, host, port, workers)


def _serve(settings: Settings, compute_socket: Path, host: str, port: int, workers: int) -> None:
    if workers > 1:
        supervise(settings, compute_socket, workers, host=host, port=port, **HOW)
        return
    with operational_store(settings) as store:
        app = application(settings, store, compute_socket=compute_socket)
        config = uvicorn.Config(app, host=host, port=port, **HOW)
        server = uvicorn.Server(config)

        def stop() -> None:
            server.should_exit = True

        with counting_alone(settings, store.dsn, stop):
            server.run()
    if not server.started:
        sys.exit(NOT_STARTED)
