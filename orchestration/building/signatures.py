"""Signatures of rows and texts: equal signatures mean equal content."""

import hashlib
import json
from typing import Any

from warehouse.ids import uuid7

ROWS_READ = 1_000_000
"""Above this many rows a rebuilt table counts as changed; its rows are not hashed."""

NO_ROWS = "0 rows"


def of_table(cursor: Any, relation: str) -> str:
    """Return the signature of a table's rows, in any order.

    Rows are hashed twice: DuckDB's row hashes alone can have the same sum after two rows exchange
    values.
    """
    rows = _rows_of(cursor, relation)
    if not rows:
        return NO_ROWS
    if rows > ROWS_READ:
        return unheard_of()
    query = f"select sum(hash(hash(one_row)))::varchar from {relation} as one_row"  # noqa: S608
    return f"{rows} rows {cursor.execute(query).fetchone()[0]}"


def of_facts(cursor: Any, relation: str) -> str:
    """Return the signature of append-only rows: their count."""
    return f"{_rows_of(cursor, relation)} facts"


def _rows_of(cursor: Any, relation: str) -> int:
    (rows,) = cursor.execute(f"select count(*) from {relation}").fetchone()  # noqa: S608 (ours)
    return int(rows)


def unheard_of() -> str:
    """Return a signature that equals no other."""
    return str(uuid7())


def of_texts(texts: list[str]) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
