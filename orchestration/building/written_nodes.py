"""dbt's runners of nodes whose statements were written ahead (see `manifests`).

dbt selects, orders, tests, skips and reports them as ever. What is left out is the making of their
SQL: to render one model's takes dbt longer than DuckDB needs for most models. A node that comes
without statements runs as dbt runs it.
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

from orchestration.building.contents import Contents, contents_of, noted_by
from orchestration.building.dbt_command import is_followed
from orchestration.building.signatures import of_table
from warehouse.models_version import models_version

LEAST_OF = re.compile(r"@least_of (\S+): (.+?): (\w+)@")
"""What is asked of a table that the run made before: see the macro `least_of`."""

COUNT = "Count"
"""The column in which DuckDB tells how many rows a statement wrote or deleted."""

ROWS_WRITTEN = "rows_affected"
"""Where a result of dbt's tells how many rows the model wrote, if that is known."""


ALL_WRITTEN = "written nodes"
"""What a thread's connection is called, whichever node it works on: under another name dbt would
close it after each, and making one takes longer than most nodes."""

HOLDS = (0, False, False)
"""What the query of a data test counts where it holds: failing rows; whether they warn, or fail."""


def write(node: ManifestSQLNode, statements: list[str]) -> None:
    """Give a node its statements, in their order."""
    node.compiled_code = json.dumps(statements)


def statements_of(node: ManifestSQLNode) -> list[str]:
    """Return the statements written for a node; none where dbt is to make them, or made them."""
    if node.compiled or not node.compiled_code:
        return []
    return list(json.loads(node.compiled_code))


class WrittenRunner(BaseRunner):  # type: ignore[misc]  # untyped
    """Runs a node by its written statements, unless it stands as they would make it."""

    def compile(self, manifest: Manifest) -> Any:
        """Return the node; compiled, where its statements are not written."""
        return self.node if statements_of(self.node) else super().compile(manifest)

    def run_with_hooks(self, manifest: Manifest) -> Any:
        """Return at once where what was noted so far tells that the node stands.

        To get a connection and to tell of each step takes dbt longer than most nodes.
        """
        result, contents = None, noted_by(manifest)
        if (
            contents
            and contents.knows_parents(self.node)
            and statements_of(self.node)
            and not self.skip
        ):
            result = self.left_alone(contents)
        if result is None:
            return super().run_with_hooks(manifest)
        self.print_result_line(result)
        return result

    def before_execute(self) -> None:
        """Tell nobody that it begins: who follows a build is told of nodes that ended."""

    def after_execute(self, result: Any) -> None:
        """Tell how it ended; dbt would also count it for its maker."""
        self.print_result_line(result)

    def print_result_line(self, result: Any) -> None:
        """Tell how the node ended where somebody follows the build."""
        if is_followed():
            super().print_result_line(result)

    def safe_run(self, manifest: Manifest) -> Any:
        """Return how the node ended, as dbt does; but tell of no step, and keep the connection.

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
        """Return the result for a node that stands, and note it; None where it is to be run."""
        raise NotImplementedError


class WrittenModelRunner(WrittenRunner, ModelRunner):  # type: ignore[misc]  # untyped
    """Makes a model in one transaction."""

    def left_alone(self, contents: Contents) -> RunResult | None:
        """Return the result for a model that is there as it would be made; else None."""
        model, statements = self.node, statements_of(self.node)
        there = self._there()
        if there is None or there.is_view or model.get_materialization() == "view":
            return None
        if not contents.stands(model, contents.made_of(model, statements)):
            return None
        return _result(model, RunStatus.NoOp, "as it was", 0)

    def execute(self, model: Any, manifest: Manifest) -> Any:
        """Make the model; one that stands is left alone."""
        statements = statements_of(model)
        if not statements:
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
        """Make a view, and note in its comment by what; what it selects from has its columns."""
        model, view = self.node, _answered(cursor, statement)
        contents.note_view(cursor, model, statement)
        digest = hashlib.sha256(f"{models_version()} {view}".encode()).hexdigest()
        if contents.views.get(f"{model.schema}.{model.alias}") == digest:
            return _result(model, RunStatus.NoOp, "as it was", 0)
        self._make(cursor, [view, f"comment on view {model.relation_name} is '{digest}'"])
        return _result(model, RunStatus.Success, "OK", None)

    def _make(self, cursor: Any, statements: list[str]) -> list[int]:
        """Execute them; what an earlier version made goes if that was a view and this is none."""
        there = self._there()
        if there is not None and there.is_view != (self.node.get_materialization() == "view"):
            self.adapter.drop_relation(there)
        return execute(cursor, statements)

    def _there(self) -> Any:  # what dbt knows of it, by its key: dbt looks through all it knows
        known = self.adapter.cache.relations.get(_make_ref_key(self.node))
        return known and known.inner


class WrittenTestRunner(WrittenRunner, TestRunner):  # type: ignore[misc]  # untyped
    """Counts what does not hold, by the written query of a data test."""

    def left_alone(self, contents: Contents) -> RunResult | None:
        """Return the result for a test that held of what is there still; else None."""
        test = self.node
        if not contents.stands(test, contents.made_of(test, statements_of(test))):
            return None
        return self.build_test_run_result(test, TestResultData(*HOLDS, {}))

    def execute_data_test(self, data_test: Any, manifest: Manifest) -> TestResultData:
        """Return how many rows fail, and what that means."""
        statements = statements_of(data_test)
        if not statements:
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
        cursor = connections.get_thread_connection().handle.cursor()
        yield cursor
        with suppress(duckdb.InvalidInputException):  # the last statement may have had no rows
            cursor.fetchall()  # one that is not read to its end keeps its transaction open


def execute(cursor: Any, statements: list[str]) -> list[int]:
    """Execute them all or none. Return the counts of rows that they tell, in their order.

    Rows are written last, after others were computed beside and deleted to make room.
    """
    counts = []
    cursor.execute("begin")
    try:
        for statement in statements:
            cursor.execute(_answered(cursor, statement))
            if cursor.description[0][0] == COUNT and (counted := cursor.fetchone()):
                counts += counted
    except BaseException:
        with suppress(duckdb.Error):  # it may have ended the transaction itself
            cursor.execute("rollback")
        raise
    cursor.execute("commit")
    return counts


def _answered(cursor: Any, statement: str) -> str:
    """Return the statement with literals for what it asks of tables that are there by now."""

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
