"""The marts of all shards together equal those of one build, row by row.

Shards select their rows by the conditions of the operational copy and of ingestion, from a
warehouse with all organizations.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest

from tests.dbt_project.comment_histories import CommentHistory, score
from tests.dbt_project.harness import Harness, insert
from tests.dbt_project.histories import Row, Tables
from tests.dbt_project.stories import PayoutStory, as_copied
from tests.doses import TRIED_SEED, dose
from warehouse.catalogue.models import PUBLISHED, relation_of, schemas
from warehouse.catalogue.operational import FOLLOWED, ZONE_OFFSETS
from warehouse.catalogue.raw import BATCHES, COPIED_TABLES, REGISTERED, SCORED
from warehouse.control import Run
from warehouse.raw.copied_shard import own_rows, rows_of
from warehouse.shards.members import Members

pytestmark = pytest.mark.slow

ORGANIZATIONS = dose(small=6, full=12)
"""CI has time for fewer: each organization has some hundred facts."""

OF_A_BUILD = {"run", "payout_zones"}
SHARED_ROWS = {"platform_status": "project_id is not null"}
"""Rows that shards divide; the others concern all projects of a build."""

OWNED_BY = {
    "account_deactivations": ("account_id", "accounts"),
    "video_owners": ("video_id", "videos"),
    "video_statuses": ("video_id", "videos"),
    "campaign_items": ("campaign_id", "campaigns"),
}
"""Tables without an organization column, and the column and table that give it."""


class CommentedStory(PayoutStory):
    """A history with payments and comments."""

    def __init__(self, folder: Path, seed: int, *, organizations: int, runs: int) -> None:
        super().__init__(folder, seed, organizations=organizations, runs=runs)
        self.comments = CommentHistory(seed)
        self.walks = self.comments.batches()
        score(self.harness, self.comments.scores, self.comments.mentions, score_seq=1)

    def runs(self) -> Iterator[datetime]:
        """Yield before each run, after facts and decisions arrived."""
        for step in self.history.steps():
            self.arrive([*step.batches, *islice(self.walks, 3)])
            self.comments.change_decisions()
            self.harness.decide(**self.decided(as_copied(step.operational)))
            yield step.as_of
            self.decide(step.as_of)

    def arrive(self, batches: Sequence[Tables]) -> None:
        for batch in batches:
            self.harness.ingest(**batch)
            for table, rows in batch.items():
                self.facts.setdefault(table, []).extend(rows)

    def decided(self, operational: Tables) -> Tables:
        commented = self.comments.operational()
        return {
            table: [*rows, *(commented.get(table, []) if table != "zone_offsets" else [])]
            for table, rows in operational.items()
        } | named_and_tagged(operational["creators"])


def named_and_tagged(creators: Sequence[Row]) -> Tables:
    """Return a project for each organization with creators, and a tag of the first organization."""
    owners = {row["project_id"]: row["organization_id"] for row in creators}
    projects = [
        {"id": project, "organization_id": owner, "name": "p"} for project, owner in owners.items()
    ]
    first = creators[0]["organization_id"]
    tag = {"id": UUID(int=77), "organization_id": first, "entity_type": "creator"}
    items = [
        {"tag_id": tag["id"], "item_id": row["id"], "organization_id": first}
        for row in creators
        if row["organization_id"] == first
    ]
    return {"projects": projects, "tags": [tag], "tag_items": items}


@dataclass
class Shard:
    """A worker's warehouse: its members' rows of the complete warehouse, and its runs."""

    harness: Harness
    members: Members

    def run(self, everybody: Harness, as_of: datetime) -> Run:
        self.take(everybody.path)
        return self.harness.run(as_of=as_of)

    def take(self, everybody: Path) -> None:
        """Copy and ingest the members' rows that this warehouse lacks."""
        with self.harness.connect() as connection:
            connection.execute(f"attach '{everybody}' as everybody (read_only)")
            connection.execute("set search_path = 'everybody.operational'")
            for table in FOLLOWED:
                self._replace(connection, table.relation, rows_of(self.members, table))
            for table in (ZONE_OFFSETS, COPIED_TABLES, *SCORED):
                self._replace(connection, table.relation, "true")
            connection.execute("set search_path = 'warehouse.main'")
            last_batch = connection.execute("select coalesce(max(batch_seq), 0) from raw.batches")
            [(last,)] = last_batch.fetchall()
            noted = {"members": self.members.digest, "to_batch_seq": 1_000_000}
            connection.execute("delete from raw.copied_shard")
            insert(connection, "raw.copied_shard", [noted])
            for table in REGISTERED:
                new = f"batch_seq > {last} and {own_rows(connection, table)}"
                self._add(connection, table.relation, new)
            self._add(connection, BATCHES.relation, f"batch_seq > {last}")
            connection.execute("detach everybody")

    def _replace(self, connection: duckdb.DuckDBPyConnection, table: str, of: str) -> None:
        connection.execute(f"delete from warehouse.{table}")
        self._add(connection, table, of)

    def _add(self, connection: duckdb.DuckDBPyConnection, table: str, of: str) -> None:
        name = table.split(".")[1]
        rows = f"select * from everybody.{table}"
        if name in OWNED_BY:
            column, parent = OWNED_BY[name]
            rows = (
                f"select rows.*, parent.organization_id from ({rows}) as rows"
                f" left join everybody.operational.{parent} as parent on parent.id = rows.{column}"
            )
        names = ", ".join(connection.table(f"everybody.{table}").columns)
        connection.execute(
            f"insert into warehouse.{table} by name"
            f" select {names} from ({rows}) as {name} where {of}"
        )


def marts(harness: Harness) -> Mapping[str, pa.Table]:
    with harness.connect() as connection:
        return {
            model: connection.execute(
                f"from {relation_of(model)} where {SHARED_ROWS.get(model, 'true')}"
            ).to_arrow_table()
            for model, layer in schemas().items()
            if layer in PUBLISHED and model not in OF_A_BUILD
        }


def differing(whole: Harness, shards: Sequence[Harness]) -> dict[str, list[object]]:
    """Return by mart the rows that only one side has, with an example of each."""
    whole_marts, parts = marts(whole), [marts(shard) for shard in shards]
    assert sum(map(len, whole_marts.values())) > 1000
    differences = {}
    with duckdb.connect() as connection:
        for model, rows in whole_marts.items():
            connection.register("one", rows)
            connection.register("parts", pa.concat_tables([part[model] for part in parts]))
            sides = ["from one", "from parts"]
            for these, those in (sides, sides[::-1]):
                if lacking := connection.execute(f"({these}) except all ({those})").fetchall():
                    differences[model] = [len(lacking), len(rows), lacking[0]]
    return differences


def test_shards_together_equal_one_build(tmp_path: Path) -> None:
    """One shard is incremental; the other is built from scratch, as after a move."""
    for name in ("all", "a", "b"):
        (tmp_path / name).mkdir()
    story = CommentedStory(tmp_path / "all", TRIED_SEED, organizations=ORGANIZATIONS, runs=2)
    made = [row["id"] for row in story.history.operational["organizations"]]
    members = Members(frozenset(made[1::2]), rest=False)
    rest = replace(members, rest=True)
    incremental = Shard(Harness(tmp_path / "a"), members)
    rebuilt = Shard(Harness(tmp_path / "b"), rest)
    for as_of in story.runs():
        run = incremental.run(story.harness, as_of)
    assert not run.is_full_refresh
    rebuilt.run(story.harness, as_of)
    story.harness.run(as_of=as_of)
    assert differing(story.harness, [incremental.harness, rebuilt.harness]) == {}
