"""SQL that filters accruals, without the lists of ids that a filter lacks.

DuckDB 1.5 joins every accrual with each list, even if the list is null and its condition true: at
500,000 accruals, a list by creator took three times as long.
"""

from collections.abc import Mapping
from typing import Any, Final

from warehouse.reading.statements import statement

FILTERED: Final = statement(__name__, "filtered.sql")
LISTS: Final = ("creator_ids", "on_hold_ids", "updated_ids")
IDS: Final = "(select cast(unnest(string_split(${name}, ',')) as uuid))"
NO_ID: Final = "(uuid '00000000-0000-0000-0000-000000000000')"


def filtered(values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the SQL for the values of an AccrualFilter, and its parameters."""
    query = FILTERED
    for name in LISTS:
        if values[name] is None:
            query = query.replace(IDS.format(name=name), NO_ID)
    return query, {name: value for name, value in values.items() if f"${name}" in query}
