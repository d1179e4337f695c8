"""Workers that stay: what waits is done every so many seconds; and how one that does not ended."""

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
    float, typer.Option("--every", min=0.1, help="Seconds between looks for some, with --stay.")
]


def stay(work: Callable[[], object], every: float, what: str) -> None:
    """Work every so many seconds, for ever, though PostgreSQL be away or the clock wrong."""
    while True:
        try:
            work()
        except WrongClockError as wrong:
            structlog.get_logger().warning(f"{what}_wait_for_the_clock", error=str(wrong))
        except (SQLAlchemyError, psycopg.OperationalError) as error:
            structlog.get_logger().warning(f"{what}_wait_for_postgresql", error=str(error))
        time.sleep(every)


def report(what: str, ended: Mapping[str, int], *, as_json: bool) -> None:
    """Print how many of what waited ended how."""
    if as_json:
        print_json({what: dict(ended)})
        return
    counts = ", ".join(f"{count} {how}" for how, count in sorted(ended.items()))
    OUT.print(f"{what}    {counts or 'none'}")
