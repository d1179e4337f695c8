"""Signatures of what each node reads and holds, so that a run skips nodes that would not change.

A node is skipped if its SQL equals that of the last published run and its parents hold the same
rows. A data test is then known to pass. No list names the models that depend on time or on
members' decisions: the run values that the SQL names belong to it, and changed rows change
signatures, from copied and ingested tables to the marts. If a rebuilt node has the same rows, its
children are skipped.

Where something is unknown, the signature is a new one, so the node is rebuilt.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duckdb import DuckDBPyConnection

from orchestration.building.manifests import PARAMETER, Node, manifest_json
from warehouse.catalogue import raw
from warehouse.catalogue.past import PAST, model_of
from warehouse.catalogue.table import Table
from warehouse.control import Run
from warehouse.control.parameters import parameters
from warehouse.ids import uuid7
from warehouse.publication.sql import quoted_name

FACT_TABLES = {table.relation: table for table in (*raw.REGISTERED, *raw.SCORED)}
"""Append-only tables: their row count is their signature."""
MODEL_BY_COPY = {past.relation: model_of(past) for past in PAST}
"""By relation: the model whose rows of the last published run it stores."""

FACTS = re.compile(
    r"with\s+(?P<all>\w+) as \(\s*select \* from (?P<source>\S+)\s*\)\s*"
    r"select\s(?!\s*distinct\b)[^()]+?\sfrom (?P=all)\s+"
    r"where (?P<instant>\w+) <= control\.as_of\(\)"
    r"(?P<by_batch>\s+and batch_seq <= control\.to_batch_seq\(\)"
    r"\s+and batch_seq not in \(select unnest\(control\.retracted\(\)\)\))?"
)
"""The SQL of a view of facts filtered by as_of and batch number. The next run's view has other
bounds but the same rows, unless new facts are known."""

LAST = """
    select node, made_of, holds, published.run_id is not null
    from control.contents left join control.published using (run_id)
"""
RECORD = """
    insert into control.contents by name
    select
        $run_id as run_id,
        unnest($nodes) as node,
        unnest($made_of) as made_of,
        unnest($holds) as holds
"""


@dataclass(frozen=True, slots=True)
class Content:
    """What a node was made of and what it holds: digests to compare for equality."""

    made_of: str
    holds: str


class Contents:
    """The contents of one build, recorded node by node.

    Nothing is known of an earlier build in a full refresh, in a run that recomputes days, and if
    another run began since, which may have changed any table.
    """

    def __init__(self, connection: DuckDBPyConnection, run: Run) -> None:
        self._connection, self._run, self._values = connection, run, parameters(run)
        makes_all = run.is_full_refresh or run.follows_unfinished or run.backfill_from is not None
        last = connection.execute(LAST).fetchall()
        self._recorded = {node for node, *_ in last}
        self._last: Mapping[str, Content] = {
            node: Content(*content)
            for node, *content, is_published in last
            if is_published and not makes_all
        }
        self._noted: dict[str, Content] = {}
        self._sources: dict[str, str] = {}

    def made_of(self, node: Node, sql: str) -> str:
        """Return the digest of a node's SQL and of what it reads; of a view, of its SQL alone."""
        if node["config"]["materialized"] == "view":
            return of_texts([sql])
        return self._read_by(node, sql)

    def is_unchanged(self, node: Node, made_of: str) -> bool:
        """Return whether a node would be rebuilt unchanged, and note it if so."""
        last = self._last.get(node["unique_id"])
        if last is None or (last.made_of != made_of and not self._replaces_nothing(node)):
            return False
        self.note(node, made_of, last.holds)
        return True

    def is_late(self, node: Node) -> bool:
        """Return whether the last build, published or not, could not build a node."""
        return bool(self._recorded) and node["unique_id"] not in self._recorded

    def note(self, node: Node, made_of: str, holds: str) -> None:
        self._noted[node["unique_id"]] = Content(made_of, holds)

    def note_view(self, node: Node, made_of: str, sql: str) -> None:
        """Note a view by what it reads.

        A view of facts is unchanged while its source has the same rows and no fact became known.
        """
        facts, last = FACTS.fullmatch(sql), self._last.get(node["unique_id"])
        if facts is None:
            self.note(node, made_of, self._read_by(node, sql))
            return
        rows = of_texts(self._parents_hold(node))
        is_same = last is not None and last.made_of == made_of and last.holds.endswith(rows)
        if last and is_same and not self._became_known(facts):
            self.note(node, made_of, last.holds)
        else:
            self.note(node, made_of, f"{new_signature()} {rows}")

    def note_incremental(self, node: Node, made_of: str, changed: int) -> None:
        """Note a table in which a run replaced `changed` rows."""
        last = self._last.get(node["unique_id"])
        self.note(node, made_of, last.holds if last and not changed else new_signature())

    def record(self) -> None:
        """Replace the recorded contents by those of this build."""
        contents = self._noted.values()
        self._connection.execute("delete from control.contents")
        self._connection.execute(
            RECORD,
            {
                "run_id": self._run.run_id,
                "nodes": list(self._noted),
                "made_of": [content.made_of for content in contents],
                "holds": [content.holds for content in contents],
            },
        )

    def _read_by(self, node: Node, sql: str) -> str:
        values = [self._values[name] for name in PARAMETER.findall(sql)]
        return of_texts([sql, *values, *self._parents_hold(node)])

    def _parents_hold(self, node: Node) -> list[str]:
        parents = sorted(manifest_json()["parent_map"][node["unique_id"]])
        return [self._content_of(parent) for parent in parents]

    def _replaces_nothing(self, node: Node) -> bool:
        """Return whether this table only replaces rows of touched entities, and none is touched."""
        touched = self._noted.get(f"model.creator_tracker.{node['config']['meta'].get('touched')}")
        return touched is not None and touched.holds == NO_ROWS

    def _became_known(self, facts: re.Match[str]) -> bool:
        """Return whether this run knows facts that the last published run did not."""
        ranges: list[tuple[str, object, object]] = [
            (facts["instant"], self._run.previous_as_of, self._run.as_of)
        ]
        if facts["by_batch"]:
            ranges.append(("batch_seq", self._run.from_batch_seq, self._run.to_batch_seq))
        known = f"select 1 from {facts['source']} where"  # noqa: S608 (the models' own)
        return any(
            self._connection.execute(
                f"{known} {column} > ? and {column} <= ? limit 1", bounds
            ).fetchone()
            for column, *bounds in ranges
        )

    def _content_of(self, parent: str) -> str:
        """Return what a node of this build or a source table holds."""
        if parent in self._noted:
            return self._noted[parent].holds
        if parent not in self._sources and parent in manifest_json()["sources"]:
            self._sources[parent] = self._of_source(manifest_json()["sources"][parent])
        return self._sources.get(parent) or new_signature()

    def _of_source(self, source: Node) -> str:
        relation = f"{source['schema']}.{source['name']}"
        if relation in FACT_TABLES:
            return of_facts(self._connection, FACT_TABLES[relation])
        if relation in MODEL_BY_COPY:
            last = self._last.get(f"model.creator_tracker.{MODEL_BY_COPY[relation]}")
            return last.holds if last else new_signature()
        return of_table(self._connection, source["relation_name"])


ROWS_READ = 1_000_000
"""Above this many rows a rebuilt table counts as changed; its rows are not hashed."""

NO_ROWS = "0 rows"
LISTS = r"select column_name from (describe {}) where column_type similar to '.*(\]|STRUCT|MAP).*'"


def of_table(cursor: Any, relation: str) -> str:
    """Return the signature of a table's rows, in any order.

    Rows are hashed twice: DuckDB's row hashes alone can have the same sum after two rows exchange
    values. Lists are hashed as JSON too: DuckDB 1.5 does not hash where one ends, and null as [].
    """
    (rows,) = cursor.execute(f"select count(*) from {relation}").fetchone()  # noqa: S608 (ours)
    if not rows:
        return NO_ROWS
    if rows > ROWS_READ:
        return new_signature()
    lists = [quoted_name(name) for (name,) in cursor.execute(LISTS.format(relation)).fetchall()]
    values = f"one_row, json_array({', '.join(lists)})" if lists else "one_row"
    query = f"select sum(hash(hash({values})))::varchar from {relation} as one_row"  # noqa: S608
    return f"{rows} rows {cursor.execute(query).fetchone()[0]}"


def of_facts(cursor: Any, table: Table) -> str:
    """Return the signature of append-only rows: their count."""
    return f"{cursor.execute(table.row_count).fetchone()[0]} facts"


def new_signature() -> str:
    """Return a signature that equals no other."""
    return str(uuid7())


def of_texts(texts: list[str]) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
