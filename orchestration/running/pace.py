"""The pace of rollups: at once if a person waits, else some time after the last one began.

Conversions alone wait longest: a trickle of them would publish all numbers each minute.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from dagster import DagsterInstance, RunsFilter

from warehouse.operational.unpublished import Waiting

LISTED_SECONDS = 900.0
"""Between rollups for changes that lists show at once, such as conversions."""


def next_rollup_at(
    instance: DagsterInstance,
    now: datetime,
    seconds: float,
    changes: Waiting | None = None,
    tags: Mapping[str, str] | None = None,
) -> datetime | None:
    """Return when the next run of `rollup` (with these tags) may start for these changes.

    None means at once. `seconds` is the setting; 0 gathers nothing. Without `changes`, batches
    wait. A last run that began later than `now` delays nothing: the clock was set back.
    """
    if not seconds or (changes and changes.is_awaited):
        return None
    rollups = RunsFilter(job_name="rollup", tags=dict(tags or {}))
    newest = instance.get_run_records(rollups, limit=1)
    if not newest or newest[0].create_timestamp > now:
        return None
    is_listed = changes is not None and changes.is_listed
    pace = max(seconds, LISTED_SECONDS) if is_listed else seconds
    return newest[0].create_timestamp + timedelta(seconds=pace)
