"""How a process writes its log: one line an event, as text for a terminal, else as JSON.

Whoever starts a process calls `configure_logs` once. Without it structlog shows the local
variables of every traceback, secrets among them.
"""

import logging
from typing import TextIO

import structlog
from structlog.typing import Processor


def configure_logs(stream: TextIO) -> None:
    """Send the log to `stream`, tracebacks without local variables."""
    structlog.configure(
        processors=[*_told_of_every_event(), *_written(stream)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(stream),
    )


def standard_handler(stream: TextIO) -> logging.Handler:
    """Return a handler that writes other libraries' log lines the same way."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_told_of_every_event(),
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_written(stream),
            ],
        )
    )
    return handler


def _told_of_every_event() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _written(stream: TextIO) -> list[Processor]:
    if stream.isatty():
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
