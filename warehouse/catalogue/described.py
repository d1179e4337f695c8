"""Columns of counters and accruals in the YAML of models that describe each by its name.

Where a model has a column for each counter so far, one for a counter that came later is described
like that of the counter before it, in its own words. Where it lists all columns of accruals so far,
one that came later is described as it is declared, if the one before it is described there. What is
there stays as people wrote it.
"""

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby, pairwise

from warehouse.catalogue.counters import Counter
from warehouse.catalogue.table import Column

COLUMNS = re.compile(r"(?<=\n    columns:\n)(?:      .*\n)+")
"""The columns of a model in its file."""
ENTRY = re.compile(r"      - \{?name: (?P<name>\w+).*\n(?:        .*\n)*")


def with_columns_of(counters: Sequence[Counter], text: str) -> str:
    """Return the YAML of models with a description of each counter's columns."""
    for place, counter in enumerate(counters):
        if counter.came_later:
            text = COLUMNS.sub(partial(_filled, counters[:place], counter), text)
    return text


def with_columns_of_accruals(declared: Sequence[Column], text: str) -> str:
    """Return the YAML of models with a description of each column of accruals.

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
            entries[column.name] = _entry(column, like=entries[before.name])
            text = text.replace(entries[before.name], entries[before.name] + entries[column.name])
    return text


def _entry(column: Column, like: str) -> str:
    kind = json.dumps(column.type) if "," in column.type else column.type
    typed = f", data_type: {kind}" if "data_type:" in like else ""
    means = f", description: {json.dumps(column.means, ensure_ascii=False)}"
    return f"      - {{name: {column.name}{typed}{means if 'description:' in like else ''}}}\n"


def _filled(known: Sequence[Counter], counter: Counter, columns: re.Match[str]) -> str:
    """Return a model's columns: those of `counter` behind each run of those of the last known."""
    before = known[-1]
    entries = list(ENTRY.finditer(columns[0]))
    names = {entry["name"] for entry in entries}

    def lacks(name: str) -> bool:
        is_of_each = all(
            _said_of(counter_before, before, name) in names for counter_before in known
        )
        return is_of_each and _said_of(counter, before, name) not in names

    filled: list[str] = []
    for is_before, run in groupby(entries, lambda entry: _tells_of(before, entry["name"])):
        entries_of_run = list(run)
        filled += [entry[0] for entry in entries_of_run]
        if is_before:
            filled += [
                _said_of(counter, before, entry[0])
                for entry in entries_of_run
                if lacks(entry["name"])
            ]
    return "".join(filled)


def _tells_of(counter: Counter, name: str) -> bool:
    return bool(_words(counter).search(name))


def _said_of(counter: Counter, before: Counter, text: str) -> str:
    """Return what is said of `before` as it is said of another counter."""

    def other(match: re.Match[str]) -> str:
        word = counter.plural if match[0].lower() == before.plural else counter.name
        return word.capitalize() if match[0][0].isupper() else word

    return _words(before).sub(other, text)


def _words(counter: Counter) -> re.Pattern[str]:
    """Return the counter's words, also as parts of names."""
    return re.compile(rf"(?<![a-z])(?:{counter.plural}|{counter.name})(?![a-z])", re.IGNORECASE)
