"""Signatures of what each node reads and holds, so that a run skips nodes that would not change.

A node is skipped if its SQL equals that of the last published run and its parents hold the same
rows. A data test is then known to pass. No list names the models that depend on time or on
members' decisions. Run values are literals in the SQL, and changed rows change signatures, from
copied and ingested tables to the marts. If a rebuilt node has the same rows, its children are
skipped.

Where something is unknown, the signature is a new one, so the node is rebuilt.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ManifestSQLNode, SourceDefinition

from warehouse.catalogue import raw
from warehouse.catalogue.past import PAST, model_of
from warehouse.catalogue.table import Table
from warehouse.ids import uuid7

FACT_TABLES = {table.relation: table for table in (*raw.REGISTERED, *raw.SCORED)}
"""Append-only tables: their row count is their signature."""
MODEL_BY_COPY = {past.relation: model_of(past) for past in PAST}
"""By relation: the model whose rows of the last published run it stores."""

FACTS = re.compile(
    r"create or replace view \S+ as \(\s*"
    r"with\s+(?P<all>\w+) as \(\s*select \* from (?P<source>\S+)\s*\)\s*"
    r"select\s(?!\s*distinct\b)[^()]+?\sfrom (?P=all)\s+"
    r"where (?P<instant>\w+) <= (?P<as_of>timestamptz '[^']*')"
    r"(?:\s+and batch_seq <= (?P<to_batch_seq>\d+)\s+and batch_seq not in \([^)]*\))?\s*\)"
)
"""A view of facts filtered by as_of and batch number. The next run's view has other bounds but the
same rows, unless new facts are known."""

PARAMETERS = """
    select
        as_of,
        previous_as_of,
        from_batch_seq,
        to_batch_seq,
        is_full_refresh,
        is_full_refresh or backfill_from is not null
    from {database}.control.run
"""
LAST = """
    select node, made_of, holds
    from {database}.control.contents
    inner join {database}.control.published using (run_id)
    inner join {database}.control.run on not run.follows_unfinished
"""
VIEWS = """
    select schema_name || '.' || view_name, comment
    from duckdb_views()
    where database_name = ? and comment is not null
"""


@dataclass(frozen=True, slots=True)
class Content:
    """What a node was made of and what it holds: digests to compare for equality."""

    made_of: str
    holds: str


@dataclass
class Contents:
    """The contents of one build, recorded node by node and shared by its threads.

    `last` has those of the last published run; it is empty if another run began since, which may
    have changed any table. `views` has the digest of each view at the start of the build.
    """

    last: Mapping[str, Content]
    views: Mapping[str, str]
    run: "Parameters"
    noted: dict[str, Content] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)

    def knows_parents(self, node: ManifestSQLNode) -> bool:
        """Return whether all parents are recorded, so that no table must be read."""
        return all(parent in self.noted for parent in node.depends_on.nodes)

    def made_of(self, node: ManifestSQLNode, statements: Sequence[str]) -> str:
        """Return the digest of a node's statements and of what its parents hold now."""
        return of_texts([*statements, *map(self._content_of, sorted(node.depends_on.nodes))])

    def stands(self, node: ManifestSQLNode, made_of: str) -> bool:
        """Return whether a node would be rebuilt unchanged, and record it if so.

        False for a full refresh and for a run that recomputes days.
        """
        last = self.last.get(node.unique_id)
        if self.run.makes_all or last is None:
            return False
        if last.made_of != made_of and not self._replaces_nothing(node):
            return False
        self.note(node, made_of, last.holds)
        return True

    def note(self, node: ManifestSQLNode, made_of: str, holds: str) -> None:
        self.noted[node.unique_id] = Content(made_of, holds)

    def note_view(self, cursor: Any, node: ManifestSQLNode, view: str) -> None:
        """Record a view under its SQL; a view of facts is unchanged while no new fact is known."""
        facts = FACTS.fullmatch(view.strip())
        if facts is None:
            made_of = self.made_of(node, [view])
            self.note(node, made_of, made_of)
            return
        made_of = self.made_of(node, [view.strip()[: facts.start("as_of")]])
        last = self.last.get(node.unique_id)
        if last is None or last.made_of != made_of or self._became_known(cursor, facts):
            self.note(node, made_of, unheard_of())
        else:
            self.note(node, made_of, last.holds)

    def note_incremental(self, node: ManifestSQLNode, made_of: str, changed: int) -> None:
        """Record a table in which a run replaced `changed` rows."""
        last = self.last.get(node.unique_id)
        is_as_it_was = last and not changed and not self.run.is_full_refresh
        self.note(node, made_of, last.holds if last and is_as_it_was else unheard_of())

    def read_sources(self, cursor: Any, manifest: Manifest, node: ManifestSQLNode) -> None:
        """Read the signatures of the source tables of a node."""
        for parent in node.depends_on.nodes:
            if parent in manifest.sources:
                with _ONE_AT_A_TIME:
                    if parent not in self._sources:
                        self._sources[parent] = self._of_source(cursor, manifest.sources[parent])

    def _replaces_nothing(self, node: ManifestSQLNode) -> bool:
        """Return whether this table only replaces rows of touched entities, and none is touched."""
        touched = f"model.{node.package_name}.{node.config.meta.get('touched')}"
        return touched in self.noted and self.noted[touched].holds == NO_ROWS

    def _became_known(self, cursor: Any, facts: re.Match[str]) -> bool:
        """Return whether this run knows facts that the last published run did not."""
        if self.run.is_full_refresh:
            return True
        ranges: list[tuple[str, object, object]] = [
            (facts["instant"], self.run.previous_as_of, self.run.as_of)
        ]
        if facts["to_batch_seq"]:
            ranges.append(("batch_seq", self.run.from_batch_seq, self.run.to_batch_seq))
        known = f"select 1 from {facts['source']} where"  # noqa: S608 (the models' own)
        return any(
            cursor.execute(f"{known} {column} > ? and {column} <= ? limit 1", bounds).fetchone()
            for column, *bounds in ranges
        )

    def _content_of(self, parent: str) -> str:
        """Return what a node of this build or a source table holds."""
        if parent in self.noted:
            return self.noted[parent].holds
        return self._sources.get(parent) or unheard_of()

    def _of_source(self, cursor: Any, source: SourceDefinition) -> str:
        relation = f"{source.schema}.{source.name}"
        if relation in FACT_TABLES:
            return of_facts(cursor, FACT_TABLES[relation])
        if relation in MODEL_BY_COPY:
            model = f"model.{source.package_name}.{MODEL_BY_COPY[relation]}"
            return self.last[model].holds if model in self.last else unheard_of()
        return of_table(cursor, source.relation_name)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The columns of control.run that a build needs (see warehouse.control.Run)."""

    as_of: datetime
    previous_as_of: datetime | None
    from_batch_seq: int
    to_batch_seq: int
    is_full_refresh: bool
    makes_all: bool


def noted_by(manifest: Manifest) -> Contents | None:
    """Return the contents of the build that uses this manifest, or None before its first node."""
    contents: Contents | None = manifest.flat_graph.get("contents")
    return contents


def contents_of(cursor: Any, manifest: Manifest, node: ManifestSQLNode) -> Contents:
    """Return the contents of the build, stored beside dbt's graph; the first node creates them."""
    with _ONE_AT_A_TIME:
        if (contents := noted_by(manifest)) is None:
            contents = manifest.flat_graph["contents"] = _begun(cursor, str(node.database))
        contents.read_sources(cursor, manifest, node)
    return contents


_ONE_AT_A_TIME = RLock()


def _begun(cursor: Any, database: str) -> Contents:
    parameters = cursor.execute(PARAMETERS.format(database=database)).fetchone()
    noted = cursor.execute(LAST.format(database=database)).fetchall()
    views = cursor.execute(VIEWS, [database]).fetchall()
    last = {node: Content(*content) for node, *content in noted}
    return Contents(last, dict(views), Parameters(*parameters))


ROWS_READ = 1_000_000
"""Above this many rows a rebuilt table counts as changed; its rows are not hashed."""

NO_ROWS = "0 rows"


def of_table(cursor: Any, relation: str) -> str:
    """Return the signature of a table's rows, in any order.

    Rows are hashed twice: DuckDB's row hashes alone can have the same sum after two rows exchange
    values.
    """
    (rows,) = cursor.execute(f"select count(*) from {relation}").fetchone()  # noqa: S608 (ours)
    if not rows:
        return NO_ROWS
    if rows > ROWS_READ:
        return unheard_of()
    query = f"select sum(hash(hash(one_row)))::varchar from {relation} as one_row"  # noqa: S608
    return f"{rows} rows {cursor.execute(query).fetchone()[0]}"


def of_facts(cursor: Any, table: Table) -> str:
    """Return the signature of append-only rows: their count."""
    return f"{cursor.execute(table.row_count).fetchone()[0]} facts"


def unheard_of() -> str:
    """Return a signature that equals no other."""
    return str(uuid7())


def of_texts(texts: list[str]) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
