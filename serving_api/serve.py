"""Runs the API in this process until it is told to stop."""

import gc
import logging
import sys
from importlib.util import find_spec

import uvicorn

from serving_api.app import create_app
from warehouse.logs import configure_logs, standard_handler
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM end it after open requests.

    The log goes to stderr; requests are noted by the application, not by the server.
    """
    _spare_looking_for_pandas()
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO, handlers=[standard_handler(sys.stderr)])
    with operational_store(settings) as store:
        app = create_app(settings, store)
        _spare_collecting_what_stays()
        uvicorn.run(
            app,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            server_header=False,
        )


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
