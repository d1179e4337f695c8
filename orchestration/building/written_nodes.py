"""dbt's runners for nodes whose SQL was rendered before (see `manifests`).

dbt selects, orders, tests, skips and reports as usual; only rendering is left out, which takes dbt
longer than DuckDB computes most models. Nodes without rendered SQL run as in dbt.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import duckdb
from dbt.adapters.reference_keys import _make_ref_key
from dbt.artifacts.resources.types import NodeType
from dbt.artifacts.schemas.results import RunStatus, TimingInfo
from dbt.artifacts.schemas.run import RunResult
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ManifestSQLNode
from dbt.task.base import BaseRunner, ExecutionContext
from dbt.task.build import BuildTask
from dbt.task.run import ModelRunner
from dbt.task.test import TestResultData, TestRunner

from orchestration.building.contents import Contents, contents_of, noted_by, of_table
from orchestration.building.dbt_command import report_ended
from warehouse.models_version import models_version

LEAST_OF = re.compile(r"@least_of (\S+): (.+?): (\w+)@")
"""Asks for the least value in a table that the run made before: see the macro `least_of`."""

COUNT = "Count"
"""DuckDB's column with the number of rows that a statement wrote or deleted."""

ROWS_WRITTEN = "rows_affected"
"""Key of the number of rows written in a dbt result; absent if unknown."""

ALL_WRITTEN = "written nodes"
"""Name of a thread's connection for all nodes. dbt closes a connection when the name changes, and
opening one takes longer than most nodes."""

HOLDS = (0, False, False)
"""The result of a passing data test: failing rows, should warn, should error."""


def write(node: ManifestSQLNode, statements: list[str]) -> None:
    node.compiled_code = json.dumps(statements)


def statements_of(node: ManifestSQLNode) -> list[str]:
    """Return the rendered statements of a node; none if dbt renders, or rendered, it."""
    if node.compiled or not node.compiled_code:
        return []
    return list(json.loads(node.compiled_code))


class WrittenRunner(BaseRunner):  # type: ignore[misc]  # untyped
    """Runs a node by its rendered statements, unless it would not change."""

    def compile(self, manifest: Manifest) -> Any:
        """Return the node, compiled by dbt if its statements are not rendered."""
        return self.node if statements_of(self.node) else super().compile(manifest)

    def run_with_hooks(self, manifest: Manifest) -> Any:
        """Skip the node at once if recorded contents show that it would not change.

        Opening a connection and firing dbt's events take longer than most nodes.
        """
        result, contents = None, noted_by(manifest)
        is_known = statements_of(self.node) and not self.skip
        if contents and contents.knows_parents(self.node) and is_known:
            result = self.left_alone(contents)
        if result is None:
            return super().run_with_hooks(manifest)
        self.print_result_line(result)
        return result

    def before_execute(self) -> None:
        """Skip dbt's event: followers of a build are notified of ended nodes only."""

    def after_execute(self, result: Any) -> None:
        """Report how the node ended, without dbt's usage statistics."""
        self.print_result_line(result)

    def print_result_line(self, _result: Any) -> None:
        report_ended(self.node.name, self.node_index, self.num_nodes)

    def safe_run(self, manifest: Manifest) -> Any:
        """Run the node as dbt does, but without timing events and on the same connection.

        Both take dbt longer than most nodes. After a failure the next node gets a new connection.
        """
        if not statements_of(self.node):
            return super().safe_run(manifest)
        began, timing = time.time(), TimingInfo("execute")
        timing.begin()
        try:
            self.adapter.acquire_connection(ALL_WRITTEN)
            result = self.run(self.node, manifest)
        except Exception as error:
            message = self.handle_exception(error, ExecutionContext(self.node))
            self._safe_release_connection()
            return self.error_result(self.node, message, began, [])
        timing.end()
        return self.from_run_result(result, began, [timing])

    def left_alone(self, contents: Contents) -> RunResult | None:
        """Return and record the result of an unchanged node, or None if it must run."""
        raise NotImplementedError


class WrittenModelRunner(WrittenRunner, ModelRunner):  # type: ignore[misc]  # untyped
    """Builds a model in one transaction."""

    def left_alone(self, contents: Contents) -> RunResult | None:
        model, statements = self.node, statements_of(self.node)
        there = self._there()
        if there is None or there.is_view or model.get_materialization() == "view":
            return None
        if not contents.stands(model, contents.made_of(model, statements)):
            return None
        return _result(model, RunStatus.NoOp, "as it was", 0)

    def execute(self, model: Any, manifest: Manifest) -> Any:
        """Build the model unless it would not change."""
        if not (statements := statements_of(model)):
            return super().execute(model, manifest)
        with _cursor(self) as cursor:
            contents = contents_of(cursor, manifest, model)
            if model.get_materialization() == "view":
                return self._make_view(cursor, contents, statements[0])
            if left_alone := self.left_alone(contents):
                return left_alone
            made_of = contents.made_of(model, statements)
            counts = self._make(cursor, statements)
            if model.get_materialization() == "incremental":  # computed, deleted, inserted
                contents.note_incremental(model, made_of, sum(counts[1:]))
            else:
                contents.note(model, made_of, of_table(cursor, model.relation_name))
        return _result(model, RunStatus.Success, "OK", counts[-1] if counts else None)

    def _make_view(self, cursor: Any, contents: Contents, statement: str) -> RunResult:
        """Create a view, with its digest as comment; its columns come from what it selects."""
        model, view = self.node, _answered(cursor, statement)
        contents.note_view(cursor, model, statement)
        digest = hashlib.sha256(f"{models_version()} {view}".encode()).hexdigest()
        if contents.views.get(f"{model.schema}.{model.alias}") == digest:
            return _result(model, RunStatus.NoOp, "as it was", 0)
        self._make(cursor, [view, f"comment on view {model.relation_name} is '{digest}'"])
        return _result(model, RunStatus.Success, "OK", None)

    def _make(self, cursor: Any, statements: list[str]) -> list[int]:
        """Execute the statements, after dropping a view that becomes a table or the reverse."""
        there = self._there()
        if there is not None and there.is_view != (self.node.get_materialization() == "view"):
            self.adapter.drop_relation(there)
        return execute(cursor, statements)

    def _there(self) -> Any:  # by key: dbt would scan all relations
        known = self.adapter.cache.relations.get(_make_ref_key(self.node))
        return known and known.inner


class WrittenTestRunner(WrittenRunner, TestRunner):  # type: ignore[misc]  # untyped
    """Runs a data test's rendered query."""

    def left_alone(self, contents: Contents) -> RunResult | None:
        if not contents.stands(self.node, contents.made_of(self.node, statements_of(self.node))):
            return None
        return self.build_test_run_result(self.node, TestResultData(*HOLDS, {}))

    def execute_data_test(self, data_test: Any, manifest: Manifest) -> TestResultData:
        """Return how many rows fail, and whether the test warns or fails."""
        if not (statements := statements_of(data_test)):
            return super().execute_data_test(data_test, manifest)
        with _cursor(self) as cursor:
            contents = contents_of(cursor, manifest, data_test)
            made_of = contents.made_of(data_test, statements)
            if contents.stands(data_test, made_of):
                return TestResultData(*HOLDS, {})
            counted = cursor.execute(_answered(cursor, *statements)).fetchone()
        if counted == HOLDS:
            contents.note(data_test, made_of, "it holds")
        return TestResultData(*counted, {})


BuildTask.RUNNER_MAP |= {NodeType.Model: WrittenModelRunner, NodeType.Test: WrittenTestRunner}


@contextmanager
def _cursor(runner: BaseRunner) -> Iterator[Any]:
    """Yield the thread's DuckDB connection; DuckDB's errors become dbt's."""
    connections = runner.adapter.connections
    with connections.exception_handler(runner.node.unique_id):
        cursor = connections.get_thread_connection().handle.cursor()
        yield cursor
        with suppress(duckdb.InvalidInputException):  # the last statement may have had no rows
            cursor.fetchall()  # an unread result keeps its transaction open


def execute(cursor: Any, statements: list[str]) -> list[int]:
    """Execute all statements in one transaction, and return their row counts in order.

    The insert comes last, after the computation and the delete.
    """
    counts = []
    cursor.execute("begin")
    try:
        for statement in statements:
            cursor.execute(_answered(cursor, statement))
            if cursor.description[0][0] == COUNT and (counted := cursor.fetchone()):
                counts += counted
    except BaseException:
        with suppress(duckdb.Error):  # the transaction may have ended already
            cursor.execute("rollback")
        raise
    cursor.execute("commit")
    return counts


def _answered(cursor: Any, statement: str) -> str:
    """Return the statement with `@least_of@` replaced by values from existing tables."""

    def answer(match: re.Match[str]) -> str:
        relation, column, kind = match.groups()
        query = f"select min({column})::varchar from {relation}"  # noqa: S608 (the models' own)
        return f"{kind} '{cursor.execute(query).fetchone()[0] or 'infinity'}'"

    return LEAST_OF.sub(answer, statement)


def _result(model: Any, status: RunStatus, message: str, rows_written: int | None) -> RunResult:
    return RunResult(
        node=model,
        status=status,
        timing=[],
        thread_id=threading.current_thread().name,
        execution_time=0,
        message=message,
        adapter_response={} if rows_written is None else {ROWS_WRITTEN: rows_written},
        failures=None,
        batch_results=None,
    )
