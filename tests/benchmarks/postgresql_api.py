"""The API with PostgreSQL in place of the publication: the same handler over the same tables.

`python -m tests.benchmarks.postgresql_api --port PORT` serves the folder that TRACKER_HOME names,
once `postgresql.copy_marts` was run on it.
"""

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Annotated

import typer
import uvicorn
from fastapi import FastAPI

from serving_api.app import create_app
from serving_api.making import State
from tests.benchmarks.postgresql import Numbers, answering_from_postgresql
from warehouse.logs import configure_logs
from warehouse.operational.store import operational_store
from warehouse.publication.current import CurrentPublication
from warehouse.settings import Settings


def main(*, port: Annotated[int, typer.Option()]) -> None:
    """Serve until told to stop."""
    settings = Settings(_env_file=None)
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO)
    with answering_from_postgresql(), operational_store(settings) as store:
        app = create_app(settings, store)
        numbers = Numbers(store, CurrentPublication(settings.publications_path).info())
        _answer_with(app, numbers)
        uvicorn.run(app, port=port, log_config=None, access_log=False, server_header=False)


def _answer_with(app: FastAPI, numbers: Numbers) -> None:
    """Let the application take its numbers from PostgreSQL."""
    opened = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[State]:
        async with opened(app) as state:
            yield {"services": replace(state["services"], published=numbers)}

    app.router.lifespan_context = lifespan


if __name__ == "__main__":
    typer.run(main)
