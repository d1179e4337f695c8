"""The log of a run that Dagster started: one line per event, with run, job and step."""

import logging
import sys
from typing import Any

from dagster import Field, InitLoggerContext, logger
from structlog.typing import EventDict

from warehouse.logs import standard_handler

LOGGED_TAGS = ("run_id", "job_name", "step_key")


TO_STDERR: dict[str, Any] = {"events": {}}
"""Loggers for a run's configuration: without them Dagster writes its own format."""


@logger(
    config_schema={"log_level": Field(str, is_required=False, default_value="INFO")},
    description="Writes a run's events to stderr in the log format of all processes.",
)
def events_to_stderr(context: InitLoggerContext) -> logging.Logger:
    """Return the logger; runs with a progress display set a high log level."""
    events = logging.Logger("dagster", context.logger_config["log_level"])
    events.addHandler(standard_handler(sys.stderr, _of_its_run))
    return events


LOGGERS = dict.fromkeys(TO_STDERR, events_to_stderr)


def _of_its_run(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Return the event with its ids as fields; Dagster puts them before the message."""
    fields = getattr(event["_record"], "dagster_meta", None) or {}
    ids = {name: fields[name] for name in LOGGED_TAGS if fields.get(name)}
    return {**event, "event": fields.get("orig_message", event["event"]), **ids}
