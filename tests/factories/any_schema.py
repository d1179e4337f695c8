"""A row for each table of a database, whatever version its schema has.

All ids of row n are the same id, so that rows of one number reference each other.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg import Connection, sql
from psycopg.types.json import Jsonb

FIRST_DAY = date(2026, 1, 1)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def _small(number: int) -> int:
    """Return a value that is valid for all counts and amounts."""
    return 1 + number % 7


VALUES: Mapping[str, Callable[[int], Any]] = {
    "_int4": lambda number: [_small(number)],
    "_uuid": lambda number: [UUID(int=number)],
    "_varchar": lambda number: [f"text {number}"],
    "bool": lambda _: True,
    "bytea": lambda number: number.to_bytes(32),
    "date": lambda number: FIRST_DAY + timedelta(days=number),
    "float8": _small,
    "int4": _small,
    "int8": _small,
    "jsonb": lambda number: {"number": number},
    "numeric": _small,
    "timestamptz": lambda number: NOON + timedelta(days=number),
    "uuid": lambda number: UUID(int=number),
    "varchar": lambda number: f"text {number}",
}
"""Value of row n by column type."""

NOT_SO: Mapping[str, Mapping[str, Any]] = {
    "campaign_items": {"video_id": None, "child_campaign_id": None},
    "goals": {"platform_scope": "all", "platform": None, "account_id": None},
    "payout_budgets": {"period": "monthly", "campaign_id": None},
    "payout_disputes": {"answer": None, "resolved_at": None, "correction_cents": None},
    "payout_simulations": {"error": None},
    "payout_structures": {"timezone": "Asia/Tokyo"},
    "payout_versions": {"platform_scope": "all", "platform": None, "account_id": None},
    "post_pictures": {"due_at": None},
    "registered_batches": {"batch_seq": None},
    "organization_zones": {"analytics_tz": "Asia/Tokyo"},
    "organizations": {"analytics_tz": "Asia/Tokyo"},
    "scrape_jobs": {"video_id": None},
}
"""Exceptions: valid zones, and null where columns exclude each other or must be unique."""

COLUMNS = """
    select table_name, column_name, udt_name
    from information_schema.columns
    where
        table_schema = 'public'
        and table_name <> 'alembic_version'
        and is_generated = 'NEVER'
        and is_identity = 'NO'
"""

CHOICES = """
    select relname, attname, pg_get_constraintdef(pg_constraint.oid)
    from pg_constraint
    inner join pg_class on pg_class.oid = conrelid
    inner join pg_attribute on attrelid = conrelid and array[attnum] = conkey
    where contype = 'c'
"""


Rows = dict[str, dict[str, Any]]
"""One row per table."""


@dataclass(frozen=True)
class Filler:
    """Fills all tables of a database."""

    connection: Connection[Any]

    def fill(self, number: int) -> Rows:
        """Add row `number` to each table; return the rows by table."""
        choices = dict(self._choices())
        rows: Rows = defaultdict(dict)
        for table, column, kind in self.connection.execute(COLUMNS).fetchall():
            rows[table][column] = choices.get((table, column)) or VALUES[kind](number)
        for table, row in rows.items():
            instead = NOT_SO.get(table, {})
            row.update({column: instead[column] for column in row.keys() & instead.keys()})
            self._insert(table, row)
        return rows

    def _choices(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield the first value that each enum check allows."""
        for table, column, check in self.connection.execute(CHOICES).fetchall():
            if texts := re.findall(r"'(\w+)'::character varying", check):
                yield (table, column), texts[0]

    def _insert(self, table: str, row: Mapping[str, Any]) -> None:
        names = sql.SQL(", ").join(map(sql.Identifier, row))
        places = sql.SQL(", ").join(sql.Placeholder() for _ in row)
        into = sql.SQL("insert into {} ({}) values ({})")
        statement = into.format(sql.Identifier(table), names, places)
        self.connection.execute(statement, [_sent(value) for value in row.values()])


def _sent(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, dict) else value
