"""Runs the API in this process until it is told to stop."""

import uvicorn

from serving_api.app import create_app
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


def serve(settings: Settings, host: str, port: int) -> None:
    """Serve the API at `host:port`, blocking; SIGINT and SIGTERM end it after open requests."""
    with operational_store(settings) as store:
        uvicorn.run(create_app(settings, store), host=host, port=port, server_header=False)
