"""Configures logs: one line per event, as text on a terminal, else as JSON.

Each process calls `log_to_stderr` once, each command `configure_logs`. By default structlog would
show local variables, including secrets, in tracebacks. API keys are removed from every line,
because people put them into URLs, which libraries repeat.
"""

import logging
import re
import sys
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor

from warehouse.operational.api_keys import PREFIX

_KEY = re.compile(rf"{PREFIX}\w+", re.IGNORECASE | re.ASCII)
"""A key, complete or cut off, also with a typo."""


def log_to_stderr() -> None:
    """Write this process's and its libraries' log to stderr."""
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO, handlers=[standard_handler(sys.stderr)])


def configure_logs(stream: TextIO) -> None:
    """Write the log to `stream`, with tracebacks without local variables."""
    structlog.configure(
        processors=[*_common_processors(), *_written(stream)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(stream),
    )


def standard_handler(stream: TextIO, *more: Processor) -> logging.Handler:
    """Return a handler that writes other libraries' log lines in the same format.

    `more` processors add fields to such a line.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_common_processors(), *more],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_written(stream),
            ],
        )
    )
    return handler


def _common_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _written(stream: TextIO) -> list[Processor]:
    if stream.isatty():
        console = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        return [console, _without_keys]
    as_json = structlog.processors.JSONRenderer()
    return [structlog.processors.format_exc_info, as_json, _without_keys]


def _without_keys(_logger: object, _method: str, line: str | EventDict) -> str:
    """Return a rendered line without the keys in it."""
    return _KEY.sub(f"{PREFIX}(not shown)", str(line))
