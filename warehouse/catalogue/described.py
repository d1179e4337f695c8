"""Completes columns of counters and accruals in the YAML of models.

If a model has a column for each older counter, a newer counter gets one with the description of
the counter before it, rewritten. If a model lists all older accrual columns, a newer one is added;
it inherits its declared description (`meanings.USUAL`). Existing text stays.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby, pairwise

from warehouse.catalogue.counters import Counter, mentions, reworded
from warehouse.catalogue.table import Column

COLUMNS = re.compile(r"(?<=\n    columns:\n)(?:      .*\n)+")
"""The columns section of a model's YAML."""
ENTRY = re.compile(r"      - \{?name: (?P<name>\w+).*\n(?:        .*\n)*")


def with_columns_of(counters: Sequence[Counter], text: str) -> str:
    """Return the YAML with each counter's columns described."""
    for position, counter in enumerate(counters):
        if counter.came_later:
            text = COLUMNS.sub(partial(_filled, counters[:position], counter), text)
    return text


def with_columns_of_accruals(declared: Sequence[Column], text: str) -> str:
    """Return the YAML with each accrual column and its type.

    Models that only compute accruals do not have the columns after the computed ones.
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
    """Return a model's columns with those of `counter` after the last known counter's."""
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
