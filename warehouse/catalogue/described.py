"""Columns of counters and accruals in the YAML of models that describe each by its name.

Where a model has a column for each counter so far, one for a counter that came later is described
like that of the counter before it, in its own words. Where it lists all columns of accruals so far,
one that came later is listed too; it inherits its declared description (`meanings.USUAL`). What is
there stays as people wrote it.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby, pairwise

from warehouse.catalogue.counters import Counter, mentions, reworded
from warehouse.catalogue.table import Column

COLUMNS = re.compile(r"(?<=\n    columns:\n)(?:      .*\n)+")
"""The columns of a model in its file."""
ENTRY = re.compile(r"      - \{?name: (?P<name>\w+).*\n(?:        .*\n)*")


def with_columns_of(counters: Sequence[Counter], text: str) -> str:
    """Return the YAML of models with a description of each counter's columns."""
    for position, counter in enumerate(counters):
        if counter.came_later:
            text = COLUMNS.sub(partial(_filled, counters[:position], counter), text)
    return text


def with_columns_of_accruals(declared: Sequence[Column], text: str) -> str:
    """Return the YAML of models with each column of accruals and its type.

    Models that only compute accruals don't have those that come after the computed ones.
    """
    return COLUMNS.sub(partial(_with_accruals, declared), text)


def _with_accruals(declared: Sequence[Column], columns: re.Match[str]) -> str:
    entries = {entry["name"]: entry[0] for entry in ENTRY.finditer(columns[0])}
    older = {column.name for column in declared if not column.came_later}
    if not {"accrual_id", *older} <= entries.keys():
        return columns[0]
    text = columns[0]
    for before, column in pairwise(declared):
        if column.name not in entries:
            kind = json.dumps(column.type) if "," in column.type else column.type
            entries[column.name] = f"      - {{name: {column.name}, data_type: {kind}}}\n"
            text = text.replace(entries[before.name], entries[before.name] + entries[column.name])
    return text


def _filled(known: Sequence[Counter], counter: Counter, columns: re.Match[str]) -> str:
    """Return a model's columns: those of `counter` behind each run of those of the last known."""
    before = known[-1]
    entries = list(ENTRY.finditer(columns[0]))
    names = {entry["name"] for entry in entries}

    def lacks(name: str) -> bool:
        is_of_each = all(
            reworded(counter_before, before, name) in names for counter_before in known
        )
        return is_of_each and reworded(counter, before, name) not in names

    filled: list[str] = []
    for is_before, run in groupby(entries, lambda entry: mentions(before, entry["name"])):
        entries_of_run = list(run)
        filled += [entry[0] for entry in entries_of_run]
        if is_before:
            filled += [
                reworded(counter, before, entry[0])
                for entry in entries_of_run
                if lacks(entry["name"])
            ]
    return "".join(filled)
