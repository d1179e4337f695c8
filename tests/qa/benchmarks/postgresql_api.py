"""The API with PostgreSQL in place of the publication: the same handler over the same tables.

`python -m tests.qa.benchmarks.postgresql_api --port PORT` serves the folder that TRACKER_HOME
names, once `postgresql.copy_marts` was run on it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from typing import Annotated

import typer
import uvicorn
from fastapi import FastAPI

from serving_api.making import State
from serving_api.process.application import application
from serving_api.process.serve import HOW
from tests.qa.benchmarks.postgresql import Numbers, answering_from_postgresql
from warehouse.operational.store import operational_store
from warehouse.settings import Settings
from warehouse.shards.publications import ShardPublications


def main(*, port: Annotated[int, typer.Option()]) -> None:
    """Serve until told to stop, as `tracker serve` does."""
    settings = Settings(_env_file=None)
    with (
        answering_from_postgresql(),
        operational_store(settings) as store,
        closing(ShardPublications(settings)) as current,
    ):
        app = application(settings, store)
        _answer_with(app, Numbers(store, current))
        uvicorn.run(app, port=port, **HOW)


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
