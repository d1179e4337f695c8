"""Runs the API, in this process or in several, until it is told to stop."""

import sys
from collections.abc import Mapping
from typing import Any

import uvicorn

from serving_api.process.application import application, log_to_stderr
from serving_api.process.workers import supervise
from serving_api.rate_limit.lease import counting_alone
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
from warehouse.umask import be_private

NOT_STARTED = 3
"""The exit code of uvicorn where it could not begin, such as on a port that is taken."""

HOW: Mapping[str, Any] = {
    "http": "serving_api.http.connection:BoundedProtocol",
    "ws": "none",
    "log_config": None,
    "access_log": False,
    "server_header": False,
}
"""What is uvicorn's to know: requests are bounded here, and noted by the application."""


def serve(settings: Settings, host: str, port: int, *, workers: int = 1) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM end it after open requests.

    The log goes to stderr. Several processes keep the limits of a minute together only through
    Redis: who asks for them sees to it. Raises AnotherServesError where several servers would.
    """
    be_private()
    log_to_stderr()
    if workers > 1:
        supervise(settings, workers, host=host, port=port, **HOW)
        return
    with operational_store(settings) as store:
        config = uvicorn.Config(application(settings, store), host=host, port=port, **HOW)
        server = uvicorn.Server(config)

        def stop() -> None:
            server.should_exit = True

        with counting_alone(settings, store.dsn, stop):
            server.run()
    if not server.started:
        sys.exit(NOT_STARTED)
