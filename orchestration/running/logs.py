"""The log of a run that Dagster started: a line an event, with the run, its job and the step."""

import logging
import sys
from typing import Any

from dagster import Field, InitLoggerContext, logger
from structlog.typing import EventDict

from warehouse.logs import standard_handler

LOGGED_TAGS = ("run_id", "job_name", "step_key")


TO_STDERR: dict[str, Any] = {"events": {}}
"""The loggers of a run, in its configuration: without any, Dagster writes texts of its own."""


@logger(
    config_schema={"log_level": Field(str, is_required=False, default_value="DEBUG")},
    description="Writes a run's events to stderr as all processes write theirs.",
)
def events_to_stderr(context: InitLoggerContext) -> logging.Logger:
    """Return the logger; a run whose progress is told otherwise asks it for little."""
    events = logging.Logger("dagster", context.logger_config["log_level"])
    events.addHandler(standard_handler(sys.stderr, _of_its_run))
    return events


LOGGERS = dict.fromkeys(TO_STDERR, events_to_stderr)


def _of_its_run(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Return the event with its ids as fields; Dagster writes them before the message."""
    fields = getattr(event["_record"], "dagster_meta", None) or {}
    ids = {name: fields[name] for name in LOGGED_TAGS if fields.get(name)}
    return {**event, "event": fields.get("orig_message", event["event"]), **ids}
