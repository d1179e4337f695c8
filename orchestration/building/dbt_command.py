"""dbt's command line in this process, without the events and files that are not read."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner, dbtRunnerResult
from dbt.compilation import Linker
from dbt.contracts.graph.manifest import Manifest
from dbt.events.types import EndRunResult, NodeFinished, NodeStart
from dbt.plugins.manager import PluginManager
from dbt.task.runnable import GraphRunnableTask
from dbt_common.behavior_flags import BehaviorFlagRendered
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager

from warehouse.settings import REPOSITORY

PROJECT = REPOSITORY / "dbt_project"
QUIET = ("--log-level", "none", "--log-level-file", "none", "--no-use-colors")
FEW_EDGES = "--use-fast-test-edges"
"""dbt 1.11 then orders tests before their dependants in a tenth of the time."""
UNREAD = ("--no-write-json",)
"""dbt's JSON artifacts: a build does not read them."""

UNBUILT = ("--exclude-resource-type", "unit_test", "--exclude-resource-type", "exposure")
"""A pipeline run builds models and runs data tests, not unit tests."""

OnNode = Callable[[str, int, int], None]
"""Called as each node ends, with its name, how many ended and how many there are."""


class DbtFailed(Exception):  # noqa: N818 (reads as what happened)
    """dbt could not parse or build. The message names the first failing node and dbt's reason."""


class Heard(EventManager):
    """Renders warnings and errors only, and all events where dbt writes a log."""

    def fire_event(
        self,
        e: BaseEvent,
        level: EventLevel | None = None,
        node: Any = None,
        force_warn_or_error_handling: bool = False,
    ) -> None:
        is_reported = (level or e.level_tag()) in REPORTED_LEVELS
        if is_reported or self.loggers or force_warn_or_error_handling:
            super().fire_event(e, level, node, force_warn_or_error_handling)


REPORTED_LEVELS = {EventLevel.WARN, EventLevel.ERROR}
ctx_set_event_manager(Heard())

_followers: list[OnNode] = []


@contextmanager
def followed_by(on_node: OnNode | None) -> Iterator[None]:
    """Call `on_node` as each node of the block's build ends."""
    _followers[:] = [on_node] if on_node else []
    try:
        yield
    finally:
        _followers.clear()


def report_ended(name: str, ended: int, nodes: int) -> None:
    """Report a node; dbt's event of it takes longer to make than most nodes take to build."""
    for follow in _followers:
        follow(name, ended, nodes)


def _leave_empty(event: BaseEvent, **_: Any) -> None:
    """Skip the message of an event that only logs would show: QUIET runs write none."""
    event.pb_msg = type(event).PROTO_TYPES_MODULE.__dict__[type(event).__name__]()


# These events contain all that dbt knows of a node: building one takes as long as a passing test.
NodeStart.__init__ = NodeFinished.__init__ = EndRunResult.__init__ = _leave_empty

# With each command dbt looks up the owner of a flag in the files of all loaded modules.
BehaviorFlagRendered._default_source = staticmethod(lambda: "dbt")  # type: ignore[method-assign]  # noqa: SLF001

# The graph's summary, a file for dbt's developers, took an eighth of a small build.
Linker.get_graph_summary = lambda *_: {}

# dbt imports all modules whose names begin with `dbt_`, to look for plugins.
PluginManager.get_prefixed_modules = dict


def _cycle(linker: Linker) -> str | None:
    """Return a cycle of the graph, None if there is none; dbt looked a hundred times as long."""
    try:
        TopologicalSorter(linker.graph.pred).prepare()
    except CycleError as error:
        return " --> ".join(error.args[1])
    return None


Linker.find_cycles = _cycle


def _create_schemas(_: GraphRunnableTask, adapter: Any, required: Iterable[Any]) -> None:
    """Create missing schemas by a statement each; by macros it took a tenth of a small build."""
    for schema in required:
        adapter.execute(f"create schema if not exists {schema}")


GraphRunnableTask.create_schemas = _create_schemas


def invoke(
    command: str,
    *arguments: str,
    warehouse: Path,
    state: Path,
    manifest: Manifest | None = None,
    profile: Mapping[str, str] | None = None,
) -> dbtRunnerResult:
    """Run one dbt command on the file `warehouse`, and close the file afterwards.

    dbt writes into `state`. Pass a fresh `manifest`: dbt stores compiled SQL in it. `profile` has
    the environment variables of dbt's profile. Raises DbtFailed if dbt itself broke.
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
            runner = dbtRunner(manifest=manifest)
            ended = runner.invoke(
                [*command.split(), *folders, *QUIET, FEW_EDGES, *UNREAD, *arguments]
            )
        finally:
            DuckDBConnectionManager.close_all_connections()
    if ended.exception is not None:
        raise DbtFailed(f"dbt broke: {placed(str(ended.exception), state)}") from ended.exception
    return ended


def placed(message: str, folder: Path) -> str:
    """Return dbt's message, with the folder if the disk is full: dbt does not always name it."""
    if os.strerror(errno.ENOSPC) not in message or str(folder) in message:
        return message
    return f"{message} ({folder})"


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
