"""Worlds that grow in one dimension that customers vary, and in no other.

Rows are repeated under other ids: twice as many structures mean twice as many versions and
assignments of the same creators. So each model may have at most twice the rows, never four times.
"""

from collections.abc import Iterator
from uuid import UUID

from tests.dbt_project.histories import Row, Step, Tables

RAW = {"video_snapshots": "videos", "account_snapshots": "accounts", "scrape_outcomes": "accounts"}
"""Facts that are multiplied with their subject."""

OF_CREATORS = ("accounts", "account_deactivations", "goal_states", "payout_assignments")
OF_POSTS = ("videos", "video_owners", "video_statuses", "conversions", "campaign_items")
DIMENSIONS = {
    "creators": ("creators", *OF_CREATORS, "payout_pauses", *OF_POSTS),
    "posts": OF_POSTS,
    "campaigns": ("campaigns", "campaign_items"),
    "structures": ("payout_structures", "payout_versions", "payout_assignments"),
    "goals": ("goal_states",),
    "conversions": ("conversions",),
    "conversion events": ("conversion_events", "conversions"),
}
"""Tables whose rows are repeated, by dimension."""
WHOLE = ("organizations", "projects")
"""Dimensions that multiply everything in them."""


def multiplied(step: Step, dimension: str, times: int) -> Step:
    names = DIMENSIONS.get(dimension)
    tables = step.operational if names is None else {n: step.operational[n] for n in names}
    ids = set(_uuids(tables)) if names is None else set(_own_ids(tables))
    if dimension == "projects":
        ids -= {row["id"] for row in step.operational["organizations"]}
    operational = {
        name: _again(rows, ids, times) if name in tables else rows
        for name, rows in step.operational.items()
    }
    batches = [
        {
            name: _again(rows, ids, times) if RAW[name] in tables else rows
            for name, rows in batch.items()
        }
        for batch in step.batches
    ]
    return Step(step.as_of, operational, batches)


def _again(rows: list[Row], ids: set[UUID], times: int) -> list[Row]:
    """Return the rows, and copies of the rows that contain multiplied ids."""
    return rows + [
        other
        for time in range(1, times)
        for row in rows
        if (other := _other(row, ids, time)) != row
    ]


def _other(value: object, ids: set[UUID], time: int) -> object:
    """Return a value with the ids of copy number `time`."""
    if isinstance(value, UUID):
        return UUID(int=value.int ^ time) if value in ids else value
    if isinstance(value, dict):
        return {name: _other(part, ids, time) for name, part in value.items()}
    if isinstance(value, list):
        return [_other(part, ids, time) for part in value]
    if isinstance(value, str) and len(value) == 36:
        return str(_other(UUID(value), ids, time))
    return value


def _uuids(tables: Tables) -> Iterator[UUID]:
    for rows in tables.values():
        for row in rows:
            yield from (value for value in row.values() if isinstance(value, UUID))


def _own_ids(tables: Tables) -> Iterator[UUID]:
    for rows in tables.values():
        for row in rows:
            yield from (row[name] for name in ("id", "goal_id") if name in row)
