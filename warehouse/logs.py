"""How a process writes its log: one line an event, as text for a terminal, else as JSON.

Whoever starts a process calls `log_to_stderr` once, a command `configure_logs`. Without it
structlog shows the local variables of every traceback, secrets among them. API keys are taken out
of every line, wherever in it they stand: people put them into addresses, libraries repeat those.
"""

import logging
import re
import sys
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor

from warehouse.operational.api_keys import PREFIX

_KEY = re.compile(rf"{PREFIX}\w+", re.IGNORECASE | re.ASCII)
"""A key, whole or cut off, also one with a slip of the pen in it."""


def log_to_stderr() -> None:
    """Write what this process logs, and what its libraries do, to stderr."""
    configure_logs(sys.stderr)
    logging.basicConfig(level=logging.INFO, handlers=[standard_handler(sys.stderr)])


def configure_logs(stream: TextIO) -> None:
    """Send the log to `stream`, tracebacks without local variables."""
    structlog.configure(
        processors=[*_common_processors(), *_written(stream)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(stream),
    )


def standard_handler(stream: TextIO, *more: Processor) -> logging.Handler:
    """Return a handler that writes other libraries' log lines the same way.

    `more` tell what else such a line says.
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
    """Return a line that is ready to be written, without the keys in it."""
    return _KEY.sub(f"{PREFIX}(not shown)", str(line))
