"""What a registered batch tells the plan: what was read when, how posts grow, what is due again."""

import polars as pl
from sqlalchemy.orm import Session

from warehouse.looks.members import take_up_posts
from warehouse.looks.plan import SUBJECT_SQL, lock_plan, plan_subjects
from warehouse.operational.session import WriteSession, driver_of
from warehouse.registration.staging import SEEN, copy_into

_OF_THE_BATCH = """
    (videos.platform, videos.platform_video_id) in (
        select platform, platform_video_id from staged_seen
    )
"""

_NOTE_READINGS = """
    update post_looks as looks
    set
        looked_at = greatest(looks.looked_at, seen.captured_at),
        read_at = seen.captured_at,
        views_a_day = case
            when seen.views is null then looks.views_a_day
            else greatest(
                86400.0 * (seen.views - coalesce(looks.views, 0)) / greatest(
                    60,
                    extract(
                        epoch from seen.captured_at - case
                            when looks.views is not null then looks.read_at
                            else coalesce(videos.posted_at, videos.created_at)
                        end
                    )
                )::float8,
                looks.views_a_day / 2,
                0
            )
        end,
        views = coalesce(seen.views, looks.views)
    from staged_seen as seen
    inner join videos
        on seen.platform = videos.platform and seen.platform_video_id = videos.platform_video_id
    where looks.video_id = videos.id and (looks.views is null or looks.read_at < seen.captured_at)
"""
"""A post's pace is that since its last reading, or half of what it was: a pause for a night is no
end. Before its second reading it is taken to have grown evenly since it was published."""

_NOTE_VISITS = f"""
    update visits
    set looked_at = greatest(visits.looked_at, seen.finished_at)
    from (
        select accounts.platform, {SUBJECT_SQL} as subject, max(listed.finished_at) as finished_at
        from unnest(%(accounts)s::uuid[], %(instants)s::timestamptz[])
            as listed (account_id, finished_at)
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


def note_looks(session: WriteSession, readings: pl.DataFrame, outcomes: pl.DataFrame) -> None:
    """Take a batch's readings of posts and its registered outcomes into the plan."""
    seen = (
        readings.sort("captured_at")
        .group_by("platform", "platform_video_id")
        .agg(pl.col("captured_at").last(), views=pl.col("view_count").drop_nulls().last())
    )
    lock_plan(session)
    copy_into(session, SEEN, seen)
    take_up_posts(session, _OF_THE_BATCH)
    driver_of(session).execute(_NOTE_READINGS)
    noted = [*_note_visits(session, outcomes), *driver_of(session).execute(_OF_POSTS)]
    for platform in {platform for platform, _ in noted}:
        plan_subjects(session, platform, {subject for one, subject in noted if one == platform})


def _note_visits(session: Session, outcomes: pl.DataFrame) -> list[tuple[str, str]]:
    """Note when accounts were last looked at, in whatever way that ended; return their visits."""
    listed = outcomes.filter(pl.col("job_type") == "creator_profiles").drop_nulls("account_id")
    values = {
        "accounts": listed["account_id"].to_list(),
        "instants": listed["finished_at"].to_list(),
    }
    return driver_of(session).execute(_NOTE_VISITS, values).fetchall()
