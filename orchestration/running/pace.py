"""When the next run of a job may start: one at a time, at a pace, and later after failures.

A rollup starts at once if a person waits, else some time after the last one began. Conversions
alone wait longest: a trickle of them would publish all numbers each minute.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from dagster import DagsterInstance, RunRecord, RunsFilter

from orchestration.running.runs import ENDED, UNDER_WAY
from warehouse.operational.unpublished import Waiting

LISTED_SECONDS = 900.0
"""Between rollups for changes that lists show at once, such as conversions."""
FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=30), timedelta(minutes=15)
"""Wait after one failed run, and the maximum: each further failure doubles it."""
_COUNTED = 8
"""How many of the newest runs are counted; so many failures give the longest wait."""


def newest_runs(
    instance: DagsterInstance, job_name: str, tags: Mapping[str, str] | None = None
) -> Sequence[RunRecord]:
    """Return the newest runs of a job (with these tags), newest first, in one query."""
    of_job = RunsFilter(job_name=job_name, tags=dict(tags or {}))
    return instance.get_run_records(of_job, limit=_COUNTED)


def next_rollup_at(
    newest: Sequence[RunRecord], now: datetime, seconds: float, changes: Waiting | None = None
) -> datetime | None:
    """Return when the next rollup may start for these changes, after the newest ones.

    None means at once. `seconds` is the setting; 0 gathers nothing. Without `changes`, batches
    wait. A last run that began later than `now` delays nothing: the clock was set back.
    """
    if not seconds or (changes and changes.is_awaited):
        return None
    if not newest or (began_at := newest[0].create_timestamp) > now:
        return None
    is_listed = changes is not None and changes.is_listed
    pace = max(seconds, LISTED_SECONDS) if is_listed else seconds
    return began_at + timedelta(seconds=pace)


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
    """The last run that ended and failed, and until when the next should wait."""

    run_id: str
    until: datetime


def failing(
    instance: DagsterInstance, job_names: Collection[str], tags: Mapping[str, str], now: datetime
) -> Failing | None:
    """Return the failure and wait after the last ended run of some jobs; None after a success.

    Canceled runs count as failed: Dagster starts no second run for their key. A run that ended
    later than `now` delays nothing: the clock was set back.
    """
    newest = (record for name in job_names for record in newest_runs(instance, name, tags))
    ended = [record for record in newest if record.dagster_run.status in ENDED]
    last_first = sorted(ended, key=_ended_at, reverse=True)
    failed = [*takewhile(lambda record: not record.dagster_run.is_success, last_first)]
    if not failed:
        return None
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (len(failed) - 1))
    since = _ended_at(failed[0])
    return Failing(failed[0].dagster_run.run_id, since + wait if since <= now else now)


def _ended_at(record: RunRecord) -> datetime:
    ended_at = record.end_time
    return datetime.fromtimestamp(ended_at, UTC) if ended_at else record.update_timestamp


def may_start(
    instance: DagsterInstance, job_name: str, tags: Mapping[str, str], now: datetime
) -> bool:
    """Return whether no run of the job with these tags is active or failed too recently."""
    if is_running(instance, job_name, tags):
        return False
    failed = failing(instance, [job_name], tags, now)
    return failed is None or failed.until <= now
