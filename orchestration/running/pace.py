"""When the next run of a job may start: one at a time, at a pace, and later after failures.

A rollup starts at once if a person waits, else some time after the last one began. Conversions
alone wait longest: a trickle of them would publish all numbers each minute.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from dagster import DagsterInstance, RunsFilter

from orchestration.running.runs import ENDED, UNDER_WAY
from warehouse.operational.unpublished import Waiting

LISTED_SECONDS = 900.0
"""Between rollups for changes that lists show at once, such as conversions."""
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=15)
"""Wait after one failed run, and the maximum: each further failure doubles it."""
_COUNTED = 8
"""How many of the newest runs are counted; so many failures give the longest wait."""


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
    began_at = last_began_at(instance, "rollup", tags)
    if began_at is None or began_at > now:
        return None
    is_listed = changes is not None and changes.is_listed
    pace = max(seconds, LISTED_SECONDS) if is_listed else seconds
    return began_at + timedelta(seconds=pace)


def last_began_at(
    instance: DagsterInstance, job_name: str, tags: Mapping[str, str] | None = None
) -> datetime | None:
    """Return when the newest run of a job (with these tags) was created."""
    newest = instance.get_run_records(RunsFilter(job_name=job_name, tags=dict(tags or {})), limit=1)
    return newest[0].create_timestamp if newest else None


def is_running(
    instance: DagsterInstance,
    job_name: str,
    tags: Mapping[str, str] | None = None,
    *,
    besides: Mapping[str, str] | None = None,
) -> bool:
    """Return whether a run of the job is active.

    It has `tags`; runs with the tags in `besides` do not count.
    """
    under_way = RunsFilter(job_name=job_name, statuses=list(UNDER_WAY), tags=dict(tags or {}))
    runs = instance.get_runs(under_way)
    return any(besides is None or not besides.items() <= run.tags.items() for run in runs)


class Failing(NamedTuple):
    """A job whose newest ended run failed, and until when the next should wait."""

    run_id: str
    until: datetime


def failing(
    instance: DagsterInstance, job_name: str, now: datetime, tags: Mapping[str, str] | None = None
) -> Failing | None:
    """Return the failure and wait after a job's last runs; None after a success.

    Canceled runs count as failed: Dagster starts no second run for their key. A run that ended
    later than `now` delays nothing: the clock was set back.
    """
    ended = RunsFilter(job_name=job_name, statuses=list(ENDED), tags=dict(tags or {}))
    newest = instance.get_run_records(ended, limit=_COUNTED)
    failed = [*takewhile(lambda record: not record.dagster_run.is_success, newest)]
    if not failed:
        return None
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (len(failed) - 1))
    ended_at = failed[0].end_time
    since = datetime.fromtimestamp(ended_at, UTC) if ended_at else failed[0].update_timestamp
    return Failing(failed[0].dagster_run.run_id, since + wait if since <= now else now)
