"""dbt's runners of nodes whose statements were written ahead (see `manifests`).

dbt selects, orders, tests, skips and reports them as ever. What is left out is the making of their
SQL: to render one model's takes dbt longer than DuckDB needs for most models. A node that comes
without statements runs as dbt runs it.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb
from dbt.artifacts.resources.types import NodeType
from dbt.artifacts.schemas.results import RunStatus
from dbt.artifacts.schemas.run import RunResult
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ManifestSQLNode
from dbt.task.base import BaseRunner
from dbt.task.build import BuildTask
from dbt.task.run import ModelRunner
from dbt.task.test import TestResultData, TestRunner

from warehouse.models_version import models_version

ASKED = re.compile(r"@least_of (\S+): (.+?): (\w+)@")
"""What is asked of a table that the run made before: see the macro `least_of`."""

COUNT = "Count"
"""The column in which DuckDB tells how many rows a statement wrote or deleted."""

ROWS_WRITTEN = "rows_affected"
"""Where a result of dbt's tells how many rows the model wrote, if that is known."""


def write(node: ManifestSQLNode, statements: list[str]) -> None:
    """Give a node its statements, in their order."""
    node.compiled_code = json.dumps(statements)


def statements_of(node: ManifestSQLNode) -> list[str]:
    """Return the statements written for a node; none where dbt is to make them, or made them."""
    if node.compiled or not node.compiled_code:
        return []
    return list(json.loads(node.compiled_code))


class WrittenModelRunner(ModelRunner):  # type: ignore[misc]  # untyped
    """Makes a model by its written statements, in one transaction."""

    def compile(self, manifest: Manifest) -> Any:
        """Return the node; compiled, where its statements are not written."""
        return self.node if statements_of(self.node) else super().compile(manifest)

    def execute(self, model: Any, manifest: Manifest) -> Any:
        """Make the model; a view that stands as the same statement made it is left alone."""
        statements = statements_of(model)
        if not statements:
            return super().execute(model, manifest)
        written = None
        with _cursor(self) as cursor:
            if model.get_materialization() == "view":
                statements = _unless_it_stands(cursor, model, _answered(cursor, *statements))
            if statements:
                self._make_room(model)
                written = _execute(cursor, statements)
        return _succeeded(model, "OK" if statements else "as it was", written)

    def _make_room(self, model: Any) -> None:
        """Drop a view where an earlier version of the model made one and this is a table, or so."""
        there = self.adapter.get_relation(model.database, model.schema, model.alias)
        if there is not None and there.is_view != (model.get_materialization() == "view"):
            self.adapter.drop_relation(there)


class WrittenTestRunner(TestRunner):  # type: ignore[misc]  # untyped
    """Counts what does not hold, by the written query of a data test."""

    def compile(self, manifest: Manifest) -> Any:
        """Return the node; compiled, where its query is not written."""
        return self.node if statements_of(self.node) else super().compile(manifest)

    def execute_data_test(self, data_test: Any, manifest: Manifest) -> TestResultData:
        """Return how many rows fail, and what that means."""
        statements = statements_of(data_test)
        if not statements:
            return super().execute_data_test(data_test, manifest)
        (query,) = statements
        with _cursor(self) as cursor:
            counted = cursor.execute(_answered(cursor, query)).fetchone()
        return TestResultData(*counted, adapter_response={})


BuildTask.RUNNER_MAP = {
    **BuildTask.RUNNER_MAP,
    NodeType.Model: WrittenModelRunner,
    NodeType.Test: WrittenTestRunner,
}


@contextmanager
def _cursor(runner: BaseRunner) -> Iterator[Any]:
    """Yield the thread's DuckDB connection; DuckDB's refusals come out as dbt's."""
    connections = runner.adapter.connections
    with connections.exception_handler(runner.node.unique_id):
        yield connections.get_thread_connection().handle.cursor()


def _execute(cursor: Any, statements: list[str]) -> int | None:
    """Execute them all or none. Return the last count of rows that one of them tells.

    Rows are written last, after others were computed beside and deleted to make room.
    """
    written = None
    cursor.execute("begin")
    try:
        for statement in statements:
            cursor.execute(_answered(cursor, statement))
            counted = cursor.fetchone() if cursor.description[0][0] == COUNT else None
            written = counted[0] if counted else written
    except BaseException:
        with suppress(duckdb.Error):  # it may have ended the transaction itself
            cursor.execute("rollback")
        raise
    cursor.execute("commit")
    return written


def _answered(cursor: Any, statement: str) -> str:
    """Return the statement with literals for what it asks of tables that are there by now."""

    def answer(asked: re.Match[str]) -> str:
        relation, column, kind = asked.groups()
        query = f"select min({column})::varchar from {relation}"  # noqa: S608 (the models' own)
        return f"{kind} '{cursor.execute(query).fetchone()[0] or 'infinity'}'"

    return ASKED.sub(answer, statement)


def _unless_it_stands(cursor: Any, model: Any, statement: str) -> list[str]:
    """Return what makes a view and notes by what it was made; nothing where that is noted already.

    What it selects from has the columns that it had while the models are the same.
    """
    digest = hashlib.sha256(f"{models_version()} {statement}".encode()).hexdigest()
    noted = cursor.execute(
        "select 1 from duckdb_views()"
        " where database_name = ? and schema_name = ? and view_name = ? and comment = ?",
        [model.database, model.schema, model.alias, digest],
    ).fetchone()
    return [] if noted else [statement, f"comment on view {model.relation_name} is '{digest}'"]


def _succeeded(model: Any, said: str, rows_written: int | None) -> RunResult:
    return RunResult(
        node=model,
        status=RunStatus.Success,
        timing=[],
        thread_id=threading.current_thread().name,
        execution_time=0,
        message=said,
        adapter_response={} if rows_written is None else {ROWS_WRITTEN: rows_written},
        failures=None,
        batch_results=None,
    )
