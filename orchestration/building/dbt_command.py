"""dbt's command line, in this process: how it is called, and what it writes and does not."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt.compilation import Linker
from dbt.contracts.graph.manifest import Manifest
from dbt.events.types import NodeFinished, NodeStart
from dbt_common.behavior_flags import BehaviorFlagRendered
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager, get_event_manager

from warehouse.settings import REPOSITORY

PROJECT = REPOSITORY / "dbt_project"
QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-use-colors")
FEW_EDGES = "--use-fast-test-edges"
"""Let dbt order tests before what depends on them in a tenth of the time (dbt 1.11)."""
UNREAD = ("--no-write-json",)
"""Artifacts that nobody here reads."""

UNBUILT = ("--exclude-resource-type", "unit_test", "--exclude-resource-type", "exposure")
"""A pipeline run builds the models and runs the data tests, and no worked examples."""

ENDED = {"LogModelResult": "total", "LogSeedResult": "total", "LogTestResult": "num_models"}
"""dbt's events for an ended node, with the field that tells how many nodes there are."""

DbtCallback = Callable[[Any], None]
"""Is told of what ENDED, of warnings and of errors."""


class DbtFailed(Exception):  # noqa: N818 (reads as what happened)
    """dbt could not parse or build. The message names the first culprit and dbt's own reason."""


class Heard(EventManager):
    """Makes messages only of events that somebody hears: to make one takes dbt as long as a view.

    Where dbt writes a log all are heard.
    """

    def fire_event(
        self,
        e: BaseEvent,
        level: EventLevel | None = None,
        node: Any = None,
        force_warn_or_error_handling: bool = False,
    ) -> None:
        """Tell of an event, as dbt does, or leave it."""
        is_reported = type(e).__name__ in ENDED or (level or e.level_tag()) in REPORTED_LEVELS
        if is_reported or self.loggers or force_warn_or_error_handling:
            super().fire_event(e, level, node, force_warn_or_error_handling)


def is_followed() -> bool:
    """Return whether a caller is told of nodes that ended; one callback is dbt's own (1.11)."""
    return any(
        not callback.__module__.startswith("dbt.") for callback in get_event_manager().callbacks
    )


REPORTED_LEVELS = {EventLevel.WARN, EventLevel.ERROR}
ctx_set_event_manager(Heard())


def _leave_empty(event: BaseEvent, **_: Any) -> None:
    """Make no message of an event that only logs would show: QUIET runs write none."""
    event.pb_msg = type(event).PROTO_TYPES_MODULE.__dict__[type(event).__name__]()


# Both hold all that dbt knows of a node: to make them takes as long as a test that stands.
NodeStart.__init__ = NodeFinished.__init__ = _leave_empty

# Whose a flag is dbt finds out anew with each command, from the files of all loaded modules.
BehaviorFlagRendered._default_source = staticmethod(lambda: "dbt")  # type: ignore[method-assign]  # noqa: SLF001

# What its graph looks like, in a file for dbt's own developers, took an eighth of a small build.
Linker.get_graph_summary = lambda *_: {}


def invoke(
    command: str,
    *arguments: str,
    warehouse: Path,
    state: Path,
    manifest: Manifest | None = None,
    profile: Mapping[str, str] | None = None,
    callbacks: Sequence[DbtCallback] = (),
) -> dbtRunnerResult:
    """Run one command of dbt over the file `warehouse`, and let go of the file afterwards.

    dbt writes into `state`. A `manifest` is used up: it remembers compiled SQL. `profile`: the
    variables of dbt's profile, by their names in the environment, the only way it has. Raises
    DbtFailed where dbt itself broke.
    """
    folders = ("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT))
    environment = {
        **(profile or {}),
        "TRACKER_WAREHOUSE_PATH": str(warehouse),
        "DBT_TARGET_PATH": str(state / "target"),
        "DBT_LOG_PATH": str(state / "logs"),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    with _environment(environment):
        try:
            runner = dbtRunner(manifest=manifest, callbacks=list(callbacks))
            ended = runner.invoke(
                [*command.split(), *folders, *QUIET, FEW_EDGES, *UNREAD, *arguments]
            )
        finally:
            DuckDBConnectionManager.close_all_connections()
    if ended.exception is not None:
        raise DbtFailed(f"dbt broke: {ended.exception}") from ended.exception
    return ended


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before: dict[str, str | None] = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
