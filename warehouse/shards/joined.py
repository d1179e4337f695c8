"""Several shards' publications read as one, for an organization whose projects they share.

Each relation is the union of the shards' relations. What people set for the whole organization is
read from the shard with the newest copy. Numbers are as of the oldest publication, decisions as of
the first copy: a run copies before its business time is set, so the oldest may have copied last.
"""

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import NAMESPACE_OID, UUID, uuid5

import duckdb

from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.current import Opened
from warehouse.publication.info import PublicationInfo
from warehouse.publication.layout import DATABASE
from warehouse.publication.opening import attach_here
from warehouse.publication.sql import quoted_name
from warehouse.rules import create_rules

OF_OLDEST = {"publication", "run", "payout_zones"}
OF_LAST_COPY = {"organizations", "tags"}

OWNERS = {
    "project_id": "projects",
    "video_id": "videos",
    "account_id": "accounts",
    "campaign_id": "campaigns",
    "creator_id": "creators",
}
"""Marts with the project of an entity, by their id column; the first match counts."""
OF_ANYTHING = ("entity_id", "item_id")

DECIDED_UP_TO = "(select coalesce(max(decided_up_to), 0) from {part}.marts.run)"
"""SQL for the last transaction whose decisions a part has."""

PUBLICATION = Path(DATABASE).stem
PATH = "select path from duckdb_databases() where database_name = $publication"
COLUMNS = """
    select
        schema_name,
        table_name,
        list(column_name)
    from duckdb_columns()
    where database_name = $part and schema_name in $published
    group by schema_name, table_name
    order by schema_name, table_name
"""


@dataclass(frozen=True)
class ShardPublication:
    """A shard's publication: the projects read from it, and those read from another part."""

    opened: Opened
    projects: Set[UUID]
    not_of: Set[UUID]


@dataclass
class Joined(Opened):
    """Publications of several shards as one; the macros are those of this version."""

    parts: tuple[UUID, ...] = ()

    @property
    def publications(self) -> tuple[UUID, ...]:
        return self.parts

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.database.cursor() as cursor:
            yield cursor


def age_of(opened: Opened) -> tuple[datetime, datetime]:
    """Return the publication's business time and when it was made, to sort by age."""
    return opened.info.as_of, opened.info.published_at


def join(parts: Sequence[ShardPublication]) -> Joined:
    """Return the parts as one publication; closing it leaves them open."""
    by_age = sorted(parts, key=lambda part: age_of(part.opened))
    database = duckdb.connect(config={"threads": 1})
    try:
        database.execute("set global TimeZone = 'UTC'")
        database.execute("set global parquet_metadata_cache = true")
        _make_views(database, by_age)
        folders = [str(_path(part).parent.parent) for part in parts]
        database.execute("set allowed_directories = $folders", {"folders": folders})
        database.execute("set enable_external_access = false")
        database.execute("set lock_configuration = true")
    except BaseException:
        database.close()
        raise
    target = "+".join(part.opened.target for part in by_age)
    ids = tuple(part.opened.info.publication_id for part in by_age)
    return Joined(target, database, _info_of(by_age), parts=ids)


def _info_of(by_age: Sequence[ShardPublication]) -> PublicationInfo:
    infos = [part.opened.info for part in by_age]
    others = [info.models_version for info in infos if info.is_of_other_models]
    firsts = [info.first_reading_at for info in infos if info.first_reading_at]
    return replace(
        infos[0],
        publication_id=uuid5(NAMESPACE_OID, "+".join(str(info.publication_id) for info in infos)),
        published_at=min(info.published_at for info in infos),
        models_version=others[0] if others else infos[0].models_version,
        first_reading_at=min(firsts, default=None),
    )


def _make_views(database: duckdb.DuckDBPyConnection, by_age: Sequence[ShardPublication]) -> None:
    create_rules(database)
    for schema in PUBLISHED:
        database.execute(f"create schema {schema}")
    sources: dict[tuple[str, str], list[str]] = {}
    names = [f"part_{number}" for number, _ in enumerate(by_age)]
    for name, part in zip(names, by_age, strict=True):
        attach_here(database, _path(part).parent, name)
        for schema, relation, columns in _relations(database, name):
            rows = _own_rows(name, part, columns, is_newest=part is by_age[-1])
            query = f"select * from {name}.{schema}.{quoted_name(relation)}{rows}"  # noqa: S608 (ids)
            sources.setdefault((schema, relation), []).append(query)
    copies = _copies(database, names)
    for (schema, relation), queries in sources.items():
        joined = " union all by name ".join(_read_of(relation, queries, copies))
        database.execute(f"create view {schema}.{quoted_name(relation)} as {joined}")


def _copies(database: duckdb.DuckDBPyConnection, parts: Sequence[str]) -> Sequence[int]:
    """Return the last transaction whose decisions each part has."""
    reach = ", ".join(DECIDED_UP_TO.format(part=part) for part in parts)
    [copies] = database.execute(f"select {reach}").fetchall()
    return copies


def _read_of(relation: str, queries: Sequence[str], copies: Sequence[int]) -> Sequence[str]:
    """Return the parts' queries that make up a relation; the oldest part is first."""
    if relation == "run":
        reach = f"{min(copies)}::bigint as decided_up_to"
        return [f"select * replace ({reach}) from ({queries[0]})"]  # noqa: S608 (a number)
    if relation in OF_OLDEST:
        return queries[:1]
    if relation in OF_LAST_COPY:
        last = max(range(len(copies)), key=lambda part: (copies[part], part))
        return queries[last : last + 1]
    return queries


def _relations(
    database: duckdb.DuckDBPyConnection, part: str
) -> Sequence[tuple[str, str, Sequence[str]]]:
    return database.execute(COLUMNS, {"part": part, "published": PUBLISHED}).fetchall()


def _own_rows(part: str, of: ShardPublication, columns: Sequence[str], *, is_newest: bool) -> str:
    """Return the condition for rows to read from a part, empty for all rows.

    Rows without a project are read from the newest part, as all have them.
    """
    left_out = ", ".join(f"'{project}'" for project in sorted(of.not_of)) or "null"
    if "project_id" in columns:
        of_none = "project_id is null or " if is_newest else "project_id is not null and "
        return f" where {of_none}(project_id in ({left_out})) is not true"
    owner = next((column for column in OWNERS if column in columns), None)
    if not of.not_of or not (owner or set(OF_ANYTHING) & set(columns)):
        return ""
    column = owner or next(name for name in OF_ANYTHING if name in columns)
    marts = {owner: OWNERS[owner]} if owner else OWNERS
    ids = (_ids(part, mart, name, left_out) for name, mart in marts.items())
    return f" where {column} not in ({' union all '.join(ids)})"


def _ids(part: str, mart: str, column: str, projects: str) -> str:
    return f"select {column} from {part}.marts.{mart} where project_id in ({projects})"  # noqa: S608 (ids)


def _path(part: ShardPublication) -> Path:
    rows = part.opened.database.execute(PATH, {"publication": PUBLICATION}).fetchall()
    [(path,)] = rows
    return Path(path)
