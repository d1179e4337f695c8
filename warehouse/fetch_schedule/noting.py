"""Applies a registered batch to the schedule: reading times, growth, next due times."""

import polars as pl
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.conditions import SUBJECT_SQL
from warehouse.fetch_schedule.members import add_posts
from warehouse.fetch_schedule.pace import WITH_READINGS
from warehouse.fetch_schedule.plan import lock_plan, plan_subjects
from warehouse.operational.session import WriteSession, driver_of
from warehouse.registration.staging import SEEN, copy_into

NO_ANSWER = ("unreachable", "rate_limited")

_OF_THE_BATCH = """
    (videos.platform, videos.platform_video_id) in (
        select platform, platform_video_id from staged_seen
    )
"""

_NOTE_ACCOUNT_FETCHES = f"""
    update visits
    set
        looked_at = case
            when visits.lease_expires_at is null
                then greatest(visits.looked_at, seen.finished_at)
            else visits.looked_at
        end,
        failing_since = case
            when not seen.is_success or visits.lease_expires_at is not null
                then visits.failing_since
        end
    from (
        select
            accounts.platform,
            {SUBJECT_SQL} as subject,
            max(listed.finished_at) as finished_at,
            bool_or(listed.outcome = 'ok') as is_success
        from unnest(%(accounts)s::uuid[], %(instants)s::timestamptz[], %(outcomes)s::text[])
            as listed (account_id, finished_at, outcome)
        inner join accounts on listed.account_id = accounts.id
        group by 1, 2
    ) as seen
    where visits.platform = seen.platform and visits.subject = seen.subject
    returning visits.platform, visits.subject
"""  # noqa: S608  SQL of ours

_OF_POSTS = """
    select distinct platform, subject from post_looks
    where (platform, platform_video_id) in (select platform, platform_video_id from staged_seen)
"""


def note_fetches(session: WriteSession, readings: pl.DataFrame, outcomes: pl.DataFrame) -> None:
    """Apply a batch's readings of posts and its registered outcomes to the schedule."""
    seen = (
        readings.sort("captured_at")
        .group_by("platform", "platform_video_id")
        .agg(pl.col("captured_at").last(), views=pl.col("view_count").drop_nulls().last())
    )
    copy_into(session, SEEN, seen)  # before the lock: no limit ends a process stopped meanwhile
    lock_plan(session)
    add_posts(session, _OF_THE_BATCH)
    noted = [*_note_account_fetches(session, outcomes), *driver_of(session).execute(_OF_POSTS)]
    for platform in {platform for platform, _ in noted}:
        plan_subjects(
            session,
            platform,
            {subject for subject_platform, subject in noted if subject_platform == platform},
            WITH_READINGS,
        )


def _note_account_fetches(session: Session, outcomes: pl.DataFrame) -> list[tuple[str, str]]:
    """Record when accounts were last fetched and answered. Returns their account fetches.

    A worker records its fetch itself once the list has ended too (claims.settle), or releases it:
    one that is stopped or killed between profile and list has not made it. If it was refused,
    perhaps without a request, `failing_since` stays until then.
    """
    is_answer = (pl.col("job_type") == "creator_profiles") & ~pl.col("outcome").is_in(NO_ANSWER)
    listed = outcomes.filter(is_answer).drop_nulls("account_id")
    values = {
        "accounts": listed["account_id"].to_list(),
        "instants": listed["finished_at"].to_list(),
        "outcomes": listed["outcome"].to_list(),
    }
    return driver_of(session).execute(_NOTE_ACCOUNT_FETCHES, values).fetchall()
