"""Run the API in one or several processes until it is stopped."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from serving_api.process.application import application
from serving_api.process.counters import shared_counters
from serving_api.rate_limit.lease import counting_alone
from warehouse.loading import loading
from warehouse.logs import log_to_stderr
from warehouse.operational.store import operational_store
from warehouse.publication.shared.following import following
from warehouse.settings import Settings
from warehouse.umask import be_private

# Processes share the listening socket and the counters.

HOW: Mapping[str, Any] = {
    "http": "serving_api.http.connection:BoundedProtocol",
    "ws": "none",
    "log_config": None,
    "access_log": False,
    "server_header": False,
}
"""uvicorn options: this protocol limits requests, and the application logs them."""

HUNG_AFTER_SECONDS = 120
"""Long enough to load the application on a busy machine; until then a worker answers no pings."""


def supervise(settings: Settings, workers: int, **how: Any) -> None:
    """Serve with several worker processes until stopped; `how` are uvicorn options."""
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
    """Detects a worker's death immediately, even while waiting for its ping.

    If the supervisor also holds the worker's end of their pipe, a death does not close it, and the
    ping would wait as long as for a hanging worker.
    """

    def keep_subprocess_alive(self) -> None:
        for worker in self.processes:
            worker.child_conn.close()
        super().keep_subprocess_alive()


def _application(settings: Settings) -> FastAPI:
    """Return a worker's application, with its own store."""
    # Imported late, so that the process soon answers its supervisor.
    with loading():
        from serving_api.process.application import application  # noqa: PLC0415
        from warehouse.operational.store import operational_store  # noqa: PLC0415

    opened = ExitStack()
    store = opened.enter_context(operational_store(settings))
    return application(settings, store, opened)


NOT_STARTED = 3
"""uvicorn's exit code if it cannot start, such as on a used port."""


def serve(settings: Settings, host: str, port: int, *, workers: int = 1) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM stop it after open requests.

    Logs to stderr. Nodes fetch publications meanwhile. Several processes share rate limits per
    minute only through Redis, which the caller ensures. Raises AnotherServesError if another
    server counts requests in memory.
    """
    be_private()
    log_to_stderr()
    with following(settings):
        _serve(settings, host, port, workers)


def _serve(settings: Settings, host: str, port: int, workers: int) -> None:
    if workers > 1:
        supervise(settings, workers, host=host, port=port, **HOW)
        return
    with operational_store(settings) as store:
        app = application(settings, store)
        config = uvicorn.Config(app, host=host, port=port, **HOW)
        server = uvicorn.Server(config)

        def stop() -> None:
            server.should_exit = True

        with counting_alone(settings, store.dsn, stop):
            server.run()
    if not server.started:
        sys.exit(NOT_STARTED)
