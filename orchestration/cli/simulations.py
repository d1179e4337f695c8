"""`tracker simulations`: computes the simulations that wait, beside any number of others."""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from typing import Annotated

import structlog
import typer
from sqlalchemy.exc import SQLAlchemyError

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.output import OUT, print_json
from orchestration.cli.run import AsJson, Stay

Seconds = Annotated[
    float, typer.Option("--every", min=0.1, help="Seconds between looks for some, with --stay.")
]


def simulations(
    stay: Stay = False,
    every: Seconds = 5.0,
    as_json: AsJson = False,
) -> None:
    """Compute the simulations of payouts that were asked for and take longer than a request.

    Runs wherever PostgreSQL and the publications are reached; no two compute the same. `tracker up`
    has one of its own. What one that is killed had begun is continued after three minutes.

    Examples: `tracker simulations` or `tracker simulations --stay`
    """
    # The API takes a second to load: the list of commands does without it.
    from serving_api.resources.payouts.simulation_jobs.worker import Worker  # noqa: PLC0415
    from warehouse.shards.publications import ShardPublications  # noqa: PLC0415

    settings = settings_of_environment()
    with current_store(settings) as store, closing(ShardPublications(settings)) as current:
        worker = Worker(store, current)
        if stay:
            _stay(worker.work, every)
        ended = worker.work()
    if as_json:
        print_json({"simulations": dict(ended)})
        return
    told = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    OUT.print(f"simulations    {told or 'none'}")


def _stay(work: Callable[[], Counter[str]], every: float) -> None:
    """Look for some every so many seconds, for ever; PostgreSQL may be away for a time."""
    while True:
        try:
            work()
        except SQLAlchemyError as error:
            structlog.get_logger().warning("simulations_wait_for_postgresql", error=str(error))
        time.sleep(every)
