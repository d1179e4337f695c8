"""Executes the rendered models and data tests of a run, in the order of the graph.

A model is one transaction. What would not change is skipped (`contents`). Models below one that
failed, or whose data test failed, are skipped too. A model that only observes keeps its rows if it
fails, and the next run computes it and what was skipped below it completely.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from orchestration.building.contents import Contents, of_table
from orchestration.building.manifests import Node, manifest_json, rendered, statements
from orchestration.building.observing import WARNS, observes, only_warns, unsound_tables
from orchestration.building.results import NodeResult
from warehouse.catalogue.models import PUBLISHED, touching
from warehouse.connection import transaction
from warehouse.control import Run
from warehouse.full_disk import says_full
from warehouse.loading import spare_looking_for_pandas
from warehouse.publication.sql import quoted_path
from warehouse.settings import Settings
from warehouse.spilling import spilling_instance

OnNode = Callable[[str, int, int], None]
"""Called as each node ends, with its name, how many ended and how many there are."""

CHECKPOINT = "operation.creator_tracker.checkpoint"
"""The id of the last step of a build: it writes the file."""

EXISTING = """
    select schema_name || '.' || table_name, 'table' from duckdb_tables()
    where database_name = 'warehouse'
    union all
    select schema_name || '.' || view_name, 'view' from duckdb_views()
    where database_name = 'warehouse'
"""
COLUMNS = """
    select table_name, column_name from duckdb_columns()
    where database_name = 'warehouse' and schema_name in $published
"""
LIMITS = "select current_setting('memory_limit'), current_setting('temp_directory')"
FILE = "select path from duckdb_databases() where database_name = 'warehouse'"
ADVICE = "\n\nPossible solutions:"
"""What DuckDB (1.5) suggests: statements for its sessions."""
LEAST = re.compile(r"coalesce\(\(select min\(([^()]+)\) from ([^()]+)\), (\w+) 'infinity'\)")
"""What the macro `least_of` renders."""

COUNT = "Count"
"""DuckDB's column with the number of rows that a statement wrote or deleted."""


def build(settings: Settings, run: Run, *, on_node: OnNode | None = None) -> list[NodeResult]:
    """Build and test every model for the latest run; the caller holds the warehouse lock.

    Returns the results of all nodes, green or not.
    """
    with attached(settings) as connection:
        return execute(connection, run, manifest_json()["nodes"].values(), on_node=on_node)


@contextmanager
def attached(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection on the warehouse whose commits write no log to the disk.

    A killed build leaves the file as it was; a checkpoint writes all. Asof joins always sort: of
    few rows DuckDB would compare all pairs, and its guess of how few is wrong by thousands. The
    caller holds the warehouse lock.
    """
    spare_looking_for_pandas()
    with spilling_instance(settings, asof_loop_join_threshold=0) as connection:
        connection.execute(
            f"attach {quoted_path(settings.warehouse_path)} as warehouse"
            " (recovery_mode no_wal_writes);"
            "set search_path = 'warehouse.main';"
            "pragma disable_checkpoint_on_shutdown"  # it would write all again
        )
        yield connection


def execute(
    connection: duckdb.DuckDBPyConnection,
    run: Run,
    nodes: Iterable[Node],
    *,
    on_node: OnNode | None = None,
) -> list[NodeResult]:
    """Execute nodes in this order on the attached warehouse, and write its file."""
    listed, results = list(nodes), []
    for schema in sorted({node["schema"] for node in listed if node["resource_type"] == "model"}):
        connection.execute(f"create schema if not exists {schema}")
    build_under_way = _Build(connection, run)
    for node in listed:
        results.append(build_under_way.result(node))
        if on_node:
            on_node(node["name"], len(results), len(listed))
    results += build_under_way.end()
    return results


class _Build:
    def __init__(self, connection: duckdb.DuckDBPyConnection, run: Run) -> None:
        self._connection, self._run = connection, run
        self._contents = Contents(connection, run)
        self._existing = dict(connection.execute(EXISTING).fetchall())
        self._limits = connection.execute(LIMITS).fetchone() or ("", "")
        (self._file,) = connection.execute(FILE).fetchone() or ("",)
        self._failed: set[str] = set()
        self._untrue: set[str] = set()
        """Models with a failing data test."""

    def result(self, node: Node) -> NodeResult:
        """Build or test a node. DuckDB's errors are results too."""
        began, node_id = time.perf_counter(), node["unique_id"]
        count, failures, message = None, None, None
        is_test, parents = node["resource_type"] == "test", manifest_json()["parent_map"][node_id]
        if not (self._failed if is_test else self._failed | self._untrue).isdisjoint(parents):
            status = "skipped"
        else:
            try:
                if is_test:
                    status, failures = self._test(node)
                else:
                    status, count = self._make(node)
            except duckdb.Error as error:
                status, message = WARNS if self._can_wait(node) else "error", self._explained(error)
        if failures:
            message = f"{failures} failing rows"
        if status == "fail":
            self._untrue.update(parents)
        elif status in {"error", "skipped", WARNS} and not is_test:
            self._failed.add(node_id)
        return NodeResult(node_id, status, message, time.perf_counter() - began, failures, count)

    def end(self) -> list[NodeResult]:
        """Record for the next build what the nodes hold, and write the file; return what failed."""
        try:
            with transaction(self._connection):
                self._contents.record()
            self._connection.execute("checkpoint warehouse")
        except duckdb.Error as error:
            message = f"{self._explained(error)} ({self._file})"
            return [NodeResult(CHECKPOINT, "error", message, 0, None)]
        return []

    def _can_wait(self, node: Node) -> bool:
        """Return whether only observing tables need it, each there with its declared columns."""
        if not only_warns(node):
            return False
        there = self._connection.execute(COLUMNS, {"published": PUBLISHED}).fetchall()
        tables = unsound_tables([node["unique_id"]])
        models = (each for each in manifest_json()["nodes"].values() if each["name"] in tables)
        columns = {(each["name"], column) for each in models for column in each["columns"]}
        return columns <= {*there}

    def _explained(self, error: duckdb.Error) -> str:
        """Return DuckDB's message; without memory or space to spill, first the way out."""
        limit, folder = self._limits
        ran_out = isinstance(error, duckdb.OutOfMemoryException)
        if says_full(error) and (ran_out or folder in str(error)):
            named = Path(folder).parents[1]
            way_out = f"Free space in {named}, or name another in TRACKER_DUCKDB_TEMP_DIRECTORY"
        elif ran_out:
            way_out = f"Raise TRACKER_DUCKDB_MEMORY_LIMIT ({limit})"
        else:
            return str(error)
        return f"{way_out}, and run again: {str(error).split(ADVICE)[0]}"

    def _make(self, node: Node) -> tuple[str, int | None]:
        """Return the status of a model and its rows written; None for a view."""
        node_id, materialized = node["unique_id"], node["config"]["materialized"]
        existing = self._existing.get(f"{node['schema']}.{node['name']}")
        is_late = observes(node) and self._contents.is_late(node)
        if is_late and existing and node["name"] in touching():
            is_late = False  # complete, it says that the build touched nothing
        is_full = self._run.is_full_refresh or is_late
        sql = rendered(node_id, is_full=is_full)
        made_of = self._contents.made_of(node, sql)
        kind = "view" if materialized == "view" else "table"
        is_unchanged = existing == kind and self._contents.is_unchanged(node, made_of)
        if is_unchanged:
            if kind == "view":
                self._contents.note_view(node, made_of, sql)
            return "no-op", None if kind == "view" else 0
        wrong = [f"drop {existing} {node['relation_name']}"] if existing not in {kind, None} else []
        counts = self._execute([*wrong, *statements(node_id, is_full=is_full)])
        if materialized == "incremental":  # computed, deleted, inserted
            self._contents.note_incremental(node, made_of, sum(counts[1:]))
        elif kind == "view":
            self._contents.note_view(node, made_of, sql)
        else:
            signature = of_table(self._connection, node["relation_name"])
            self._contents.note(node, made_of, signature)
        return "success", counts[-1] if counts else None

    def _test(self, node: Node) -> tuple[str, int]:
        """Return the status of a data test and the number of failing rows."""
        sql = rendered(node["unique_id"], is_full=self._run.is_full_refresh)
        made_of = self._contents.made_of(node, sql)
        if self._contents.is_unchanged(node, made_of):
            return "pass", 0
        query = f"select count(*) from (\n{sql}\n)"  # noqa: S608 (the models' own)
        failures = (self._connection.execute(self._bounded(query)).fetchone() or (0,))[0]
        if failures:
            return WARNS if only_warns(node) else "fail", failures
        self._contents.note(node, made_of, "it holds")
        return "pass", 0

    def _bounded(self, sql: str) -> str:
        """Return SQL with bounds that the run computed as literals: DuckDB plans with them."""

        def literal(bound: re.Match[str]) -> str:
            column, relation, kind = bound.groups()
            query = f"select min({column})::varchar from {relation}"  # noqa: S608 (the models' own)
            (least,) = self._connection.execute(query).fetchone() or (None,)
            return f"{kind} '{least or 'infinity'}'"

        return LEAST.sub(literal, sql)

    def _execute(self, in_order: Iterable[str]) -> list[int]:
        """Execute all statements in one transaction, and return their row counts in order."""
        counts: list[int] = []
        with transaction(self._connection):
            for statement in in_order:
                is_view = statement.startswith("create or replace view")
                sql = statement if is_view else self._bounded(statement)
                answer = self._connection.execute(sql)
                if answer.description[0][0] == COUNT:
                    counts += answer.fetchone() or ()
        return counts
