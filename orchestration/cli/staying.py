"""Loops of workers with --stay, and the report of those without."""

import time
from collections.abc import Callable, Mapping
from typing import Annotated

import psycopg
import structlog
import typer
from sqlalchemy.exc import SQLAlchemyError

from orchestration.cli.output import OUT, print_json
from warehouse.operational.clock import WrongClockError

Every = Annotated[
    float, typer.Option("--every", min=0.1, help="Seconds between checks, with --stay.")
]


def stay(work: Callable[[], object], every: float, what: str) -> None:
    """Work every `every` seconds forever, also while PostgreSQL is down or the clock is wrong."""
    while True:
        try:
            work()
        except WrongClockError as wrong:
            structlog.get_logger().warning(f"{what}_wait_for_the_clock", error=str(wrong))
        except (SQLAlchemyError, psycopg.OperationalError) as error:
            structlog.get_logger().warning(f"{what}_wait_for_postgresql", error=str(error))
        time.sleep(every)


def report(what: str, ended: Mapping[str, int], *, as_json: bool) -> None:
    """Print the counts by outcome."""
    if as_json:
        print_json({what: dict(ended)})
        return
    counts = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    OUT.print(f"{what}    {counts or 'none'}")
