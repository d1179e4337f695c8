"""Workers that stay: what waits is done every so many seconds."""

import time
from collections.abc import Callable

import structlog
from sqlalchemy.exc import SQLAlchemyError


def stay(work: Callable[[], object], every: float, what: str) -> None:
    """Work every so many seconds, for ever; PostgreSQL may be away for a time."""
    while True:
        try:
            work()
        except SQLAlchemyError as error:
            structlog.get_logger().warning(f"{what}_wait_for_postgresql", error=str(error))
        time.sleep(every)
