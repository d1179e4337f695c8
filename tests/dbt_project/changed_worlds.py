"""Small organizations in one warehouse, each with a change between two pipeline runs."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.dbt_project.comment_histories import score
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import Row, Tables, zone_offsets
from tests.dbt_project.stories import as_copied
from tests.oracles.payout_world import CREATOR, OTHER, OWNER, World, at
from warehouse.catalogue.operational import OPERATIONAL

FIRST_RUN, SECOND_RUN = at(11, 6), at(11, 18)
ZONES = ("UTC", "America/Los_Angeles", "Pacific/Apia")
COLUMNS = {table.name: table.column_names for table in OPERATIONAL}

Marts = dict[int, dict[str, list[Row]]]


def marts_of(harness: Harness) -> list[str]:
    with harness.connect() as connection:
        rows = connection.execute(
            "select table_name from duckdb_tables() where schema_name in ('marts', 'machinery')"
            " union select view_name from duckdb_views()"
            " where schema_name in ('marts', 'machinery') order by all"
        ).fetchall()
    return [name for (name,) in rows]


class ChangedWorld(World):
    """An organization with two creators."""

    def __init__(self, zone: str = "UTC") -> None:
        super().__init__(zone)
        self.tables["creators"] += [{"id": creator, **OWNER} for creator in (CREATOR, OTHER)]
        self.observed: Tables = defaultdict(list, video_snapshots=self.readings)
        self.scores: dict[str, Row] = {}
        self.mentions: dict[tuple[UUID, str], list[str]] = {}

    def change(self) -> None:
        """Add the decisions and readings that only the second run sees."""


@dataclass(frozen=True)
class Played:
    """Rows of marts by world number, after each run and after a full refresh."""

    before: Marts
    after: Marts
    refreshed: Marts


def play(folder: Path, worlds: Sequence[ChangedWorld]) -> Played:
    """Build all worlds, change each, build again incrementally, then run a full refresh."""
    harness = Harness(folder)
    counts_by_world = [defaultdict[str, int](int) for _ in worlds]
    marts = []
    for number_of_run, as_of in enumerate((FIRST_RUN, SECOND_RUN), 1):
        tables: Tables = defaultdict(list, zone_offsets=[*zone_offsets(ZONES)])
        batch: Tables = defaultdict(list)
        for number, (world, counts) in enumerate(zip(worlds, counts_by_world, strict=True), 1):
            if as_of == SECOND_RUN:
                world.change()
            for table, rows in world.tables.items():
                tables[table] += [columns_of(table, with_other_ids(row, number)) for row in rows]
            for table, rows in world.observed.items():
                batch[table] += with_other_ids(rows[counts[table] :], number)
                counts[table] = len(rows)
        harness.ingest(**batch)
        scores = {text: row for world in worlds for text, row in world.scores.items()}
        mentions = {
            (with_other_ids(organization, number), text): signals
            for number, world in enumerate(worlds, 1)
            for (organization, text), signals in world.mentions.items()
        }
        score(harness, scores, mentions, score_seq=number_of_run)
        harness.decide(**as_copied(tables))
        harness.run(as_of=as_of)
        marts.append(marts_by_world(harness))
    harness.run(as_of=SECOND_RUN, full_refresh=True)
    return Played(*marts, marts_by_world(harness))


def marts_by_world(harness: Harness) -> Marts:
    marts: Marts = defaultdict(lambda: defaultdict(list))
    for mart in marts_of(harness):
        for row in harness.rows(mart):
            for number in worlds_of(row):
                marts[number][mart].append(with_other_ids(row, number))
    return marts


def worlds_of(row: Row) -> set[int]:
    """Return the world numbers in a row's ids, without hashed ids."""
    ids = (value.int for value in row.values() if isinstance(value, UUID))
    return {identifier >> 32 for identifier in ids if identifier < 1 << 64}


def columns_of(table: str, row: Row) -> Row:
    return {name: value for name, value in row.items() if name in COLUMNS[table]}


def with_other_ids(value: Any, number: int) -> Any:
    """Add the world's number to all ids in a value; applied twice, it restores them."""
    if isinstance(value, UUID):
        return UUID(int=value.int ^ number << 32)
    if isinstance(value, dict):
        return {name: with_other_ids(part, number) for name, part in value.items()}
    if isinstance(value, list):
        return [with_other_ids(part, number) for part in value]
    if isinstance(value, str) and len(value) == 36:  # an id in a rule
        return str(with_other_ids(UUID(value), number))
    return value
