"""Signatures: of rows and of texts, of which equal ones mean the same."""

import hashlib
import json
from typing import Any

from warehouse.ids import uuid7

ROWS_READ = 1_000_000
"""Rows up to which a table's signature is made of them: larger ones count as changed when made."""

NO_ROWS = "0 rows"


def of_table(cursor: Any, relation: str) -> str:
    """Return the signature of a table's rows, in whatever order they lie.

    Hashed twice: sums of DuckDB's hashes of rows alone could be the same where two rows exchange
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
    """Return the signature of rows that are never changed or taken away: how many there are."""
    return f"{_rows_of(cursor, relation)} facts"


def _rows_of(cursor: Any, relation: str) -> int:
    (rows,) = cursor.execute(f"select count(*) from {relation}").fetchone()  # noqa: S608 (ours)
    return int(rows)


def unheard_of() -> str:
    """Return a signature that no rows had before."""
    return str(uuid7())


def of_texts(texts: list[str]) -> str:
    """Return the digest of texts, in their order."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()
