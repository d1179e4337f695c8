"""Equal facts give equal rows, to the order of every list, however they arrived and were built.

Statements rendered ahead of the runs do the same as dbt's statements for one run.

Accidental differences would be published as new: untouched months would be written again, and
downloaded evidence would differ from the next download.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestration.building.rendering import PROJECT

OF_THE_RUN = {"run"}
"""Relations that record the time and id of the run."""

SQL = sorted([*PROJECT.glob("models/**/*.sql"), *PROJECT.glob("macros/**/*.sql")])
TAKE_ANY = r"(list|array_agg|string_agg|group_concat|listagg|json_group_array|json_group_object"
TAKE_ANY += r"|histogram|mode|first|last|any_value|arbitrary|arg_max|arg_min|max_by|min_by)"
SORTED = "list_sort("
CALLS = re.compile(rf"(?<![\w.])({re.escape(SORTED)})?{TAKE_ANY}\s*\(", re.IGNORECASE)
"""Aggregates that take any row or depend on row order, with the call that sorts their list."""

ONE_OF_EACH = {
    "captured_at": "merged_at_instant leaves one reading of an entity at an instant",
    "day": "facts by day have one row for each entity and day",
    "period_start": "a payee has one row for each period",
    "version_number": "no two versions of a structure have one number (unique in PostgreSQL)",
    "adjustment_number": "no two adjustments of an accrual have one number",
    "score_seq": "what was scored last has the highest number, once for each text",
    "(job_type, outcome)": "what is returned is in it",
    "(fetches, last_at, outcome)": "what is returned is in it",
}
"""Why arg_min and arg_max by these columns have no ties that matter."""

REASON = re.compile(r"-- (one value|in any order): \w+")
"""Expected in the line or up to four lines above, without an order or ONE_OF_EACH."""
LINES = 5
ORDERS = re.compile(r"\border by\b", re.IGNORECASE)


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.stem)
def test_order_dependent_aggregates_state_their_order(path: Path) -> None:
    unexplained = [call for call, where in calls(path.read_text()) if not is_settled(call, where)]
    assert unexplained == [], "`list_sort(list(`, `-- one value: why` or `-- in any order: why`"


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.stem)
def test_no_aggregate_has_an_order_by(path: Path) -> None:
    """It would sort each group separately: three times the work of `list_sort` for many small
    groups. Builds of payouts took half as long again with it.
    """
    assert [call for call, _ in calls(path.read_text()) if ORDERS.search(call)] == []


def calls(sql: str) -> Iterator[tuple[str, str]]:
    """Yield each complete call, and its line with those above."""
    for call in CALLS.finditer(sql):
        above = sql[: call.start()].split("\n")[-LINES:]
        rest = sql[call.start() :].split("\n", 1)[0]
        yield sql[call.start() : closing(sql, call.end())], "\n".join(above) + rest


def closing(sql: str, position: int) -> int:
    """Return the position after the bracket that was opened before `position`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(sql[position], 0)
        position += 1
    return position


def is_settled(call: str, where: str) -> bool:
    if REASON.search(where) or call.startswith(SORTED):
        return True
    by = re.search(r",\s*(?:\w+\.)?(\w+|\(.*\))\s*\)$", call)
    return call.lower().startswith("arg_") and by is not None and by.group(1) in ONE_OF_EACH
