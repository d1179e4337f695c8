"""What the nodes of a build are made of and hold, so that a run leaves out what nothing touched.

A node whose statements are those of the last published run, and whose parents hold what they held
then, would be made again as it is; a data test would find again that it holds. Nobody lists which
models depend on the time or on what people decided: a run's own values stand in the statements
that read them, and what changed is passed on by the signatures of rows, from the tables that are
copied and ingested to the marts. Where the rows of a node that was made come out as they were, what
is made of it is left out in turn.

Conservative wherever that is not known: the signature is then one that never was.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import ManifestSQLNode, SourceDefinition

from orchestration.building.signatures import NO_ROWS, of_facts, of_table, of_texts, unheard_of
from warehouse.catalogue import raw
from warehouse.catalogue.past import PAST, model_of

FACT_TABLES = {table.relation for table in (*raw.REGISTERED, *raw.SCORED)}
"""Tables whose rows are never changed or taken away, so that their number tells of all."""
MODEL_BY_COPY = {past.relation: model_of(past) for past in PAST}
"""Of which model the last published run's rows are kept where."""

FACTS = re.compile(
    r"create or replace view \S+ as \(\s*"
    r"with\s+(?P<all>\w+) as \(\s*select \* from (?P<source>\S+)\s*\)\s*"
    r"select\s(?!\s*distinct\b)[^()]+?\sfrom (?P=all)\s+"
    r"where (?P<instant>\w+) <= (?P<as_of>timestamptz '[^']*')"
    r"(?:\s+and batch_seq <= (?P<to_batch_seq>\d+))?\s*\)"
)
"""A view of the facts that a run knows, row by row: those up to its as_of and of its batches. The
next run's shows the same rows unless some became known, though its statement is another one."""

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
    """What a node was made of and holds: digests, of which equal ones mean the same."""

    made_of: str
    holds: str


@dataclass
class Contents:
    """The contents of one build, noted node by node; its threads share it.

    `last` are those of the last published run, none where another began since: that one may have
    left anything. `views` is what made the views that there were when the build began.
    """

    last: Mapping[str, Content]
    views: Mapping[str, str]
    run: "Parameters"
    noted: dict[str, Content] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)

    def knows_parents(self, node: ManifestSQLNode) -> bool:
        """Tell whether all is known by now that a node is made of: no table has to be asked."""
        return all(parent in self.noted for parent in node.depends_on.nodes)

    def made_of(self, node: ManifestSQLNode, statements: Sequence[str]) -> str:
        """Return the digest of a node's statements and of what its parents hold by now."""
        return of_texts([*statements, *map(self._held, sorted(node.depends_on.nodes))])

    def stands(self, node: ManifestSQLNode, made_of: str) -> bool:
        """Tell whether the node is as it would be made; if so that is noted.

        A full refresh and a run that computes days once more make all, whatever they find.
        """
        last = self.last.get(node.unique_id)
        if self.run.makes_all or last is None:
            return False
        if last.made_of != made_of and not self._replaces_nothing(node):
            return False
        self.note(node, made_of, last.holds)
        return True

    def note(self, node: ManifestSQLNode, made_of: str, holds: str) -> None:
        """Note what a node is made of, and what it holds."""
        self.noted[node.unique_id] = Content(made_of, holds)

    def note_view(self, cursor: Any, node: ManifestSQLNode, view: str) -> None:
        """Note a view, which holds what it is made of; one of facts, while none became known."""
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
        """Note a table of which a run replaced so many rows."""
        last = self.last.get(node.unique_id)
        is_as_it_was = last and not changed and not self.run.is_full_refresh
        self.note(node, made_of, last.holds if last and is_as_it_was else unheard_of())

    def read_sources(self, cursor: Any, manifest: Manifest, node: ManifestSQLNode) -> None:
        """Learn what the tables hold that a node reads and no node makes."""
        for parent in node.depends_on.nodes:
            if parent in manifest.sources:
                with _ONE_AT_A_TIME:
                    if parent not in self._sources:
                        self._sources[parent] = self._of_source(cursor, manifest.sources[parent])

    def _replaces_nothing(self, node: ManifestSQLNode) -> bool:
        """Tell whether rows of touched entities are replaced in this table, and none is touched."""
        touched = f"model.{node.package_name}.{node.config.meta.get('touched')}"
        return touched in self.noted and self.noted[touched].holds == NO_ROWS

    def _became_known(self, cursor: Any, facts: re.Match[str]) -> bool:
        """Tell whether facts are known to this run that the last published one did not know."""
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

    def _held(self, parent: str) -> str:
        """Return what a node of this build holds, or a table that was looked at."""
        if parent in self.noted:
            return self.noted[parent].holds
        return self._sources.get(parent) or unheard_of()

    def _of_source(self, cursor: Any, source: SourceDefinition) -> str:
        """Return what a table holds that no node of this build makes."""
        relation = f"{source.schema}.{source.name}"
        if relation in FACT_TABLES:
            return of_facts(cursor, source.relation_name)
        if relation in MODEL_BY_COPY:
            model = f"model.{source.package_name}.{MODEL_BY_COPY[relation]}"
            return self.last[model].holds if model in self.last else unheard_of()
        return of_table(cursor, source.relation_name)


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a build has to know of the run (see warehouse.control.Run)."""

    as_of: datetime
    previous_as_of: datetime | None
    from_batch_seq: int
    to_batch_seq: int
    is_full_refresh: bool
    makes_all: bool


def noted_by(manifest: Manifest) -> Contents | None:
    """Return the contents of the build that uses this manifest; None where it has none by now."""
    contents: Contents | None = manifest.flat_graph.get("contents")
    return contents


def contents_of(cursor: Any, manifest: Manifest, node: ManifestSQLNode) -> Contents:
    """Return the contents of the build, kept beside dbt's graph; its first node begins them."""
    with _ONE_AT_A_TIME:
        contents = noted_by(manifest)
        if contents is None:
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
