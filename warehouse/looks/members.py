"""What is in the plan of looks: each post that may be scraped, and the visit that shows it.

Posts of an account that may be scraped are shown by its visit, all others each by a visit of its
own. What may be scraped is said in `registration.scrapable`.
"""

from collections.abc import Collection

from warehouse.looks.plan import lock_plan, plan_all, run
from warehouse.looks.statements import SUBJECT_SQL, sql_of
from warehouse.operational.session import WriteSession
from warehouse.registration.scrapable import scrapable_account, scrapable_video

WANTED_POSTS = f"""
    select
        videos.id as video_id,
        videos.organization_id,
        videos.platform,
        videos.platform_video_id,
        case
            when {sql_of(scrapable_account())} then {SUBJECT_SQL}
            else '#' || videos.platform_video_id
        end as subject,
        videos.last_scraped_at,
        coalesce(videos.posted_at, videos.created_at) as due_at
    from videos
    left join accounts on videos.account_id = accounts.id
    where {sql_of(scrapable_video())} and {{which}}
"""  # noqa: S608  SQL of ours

TAKE_UP_POSTS = f"""
    with changed as (
        select wanted.*, post_looks.subject as before
        from ({WANTED_POSTS}) as wanted
        left join post_looks on wanted.video_id = post_looks.video_id
        where post_looks.subject is distinct from wanted.subject
    ),
    moved as (
        update post_looks set subject = changed.subject
        from changed
        where post_looks.video_id = changed.video_id and changed.before is not null
    )
    insert into post_looks
        (video_id, organization_id, platform, platform_video_id, subject, looked_at, read_at,
        due_at, reason)
    select
        video_id, organization_id, platform, platform_video_id, subject, last_scraped_at,
        last_scraped_at, due_at, 'never_looked'
    from changed
    where before is null
    on conflict do nothing
"""  # noqa: S608  SQL of ours

TAKE_UP_VISITS = f"""
    insert into visits (platform, subject, looked_at, due_at, reason)
    select platform, {SUBJECT_SQL}, max(profile_looked_at), to_timestamp(0), 'account'
    from accounts where {sql_of(scrapable_account())} and {{accounts}}
    group by 1, 2
    union all
    select distinct platform, subject, null::timestamptz, to_timestamp(0), 'posts'
    from post_looks where subject like '#%' and {{posts}}
    on conflict do nothing
"""  # noqa: S608  SQL of ours
"""An account whose user id became known goes on where its visit by handle was."""

LET_GO_OF_POSTS = f"""
    delete from post_looks
    using videos
    where post_looks.video_id = videos.id and not ({sql_of(scrapable_video())}) and {{which}}
"""  # noqa: S608  SQL of ours

LET_GO_OF_VISITS = f"""
    delete from visits
    where {{which}}
        and not exists (
            select from accounts
            where accounts.platform = visits.platform and {SUBJECT_SQL} = visits.subject
                and {sql_of(scrapable_account())}
        )
        and not exists (
            select from post_looks
            where post_looks.platform = visits.platform and post_looks.subject = visits.subject
        )
"""  # noqa: S608  SQL of ours


_IN_BULK = "set local enable_nestloop = off; set local work_mem = '64MB'"
"""About all there is, row by row is the longest way round: where nothing is planned yet, PostgreSQL
knows no better than to look through all that it has just written for each row that it writes."""
_AS_USUAL = "set local enable_nestloop to default; set local work_mem to default"

MEMBERSHIP = TAKE_UP_POSTS + TAKE_UP_VISITS + LET_GO_OF_POSTS + LET_GO_OF_VISITS
"""All that says what is in the plan."""


def plan_everything(session: WriteSession) -> None:
    """Take up what may be looked at, let go of what may not, and have the rule decide on all.

    Writes only what is not so already. What `changes` calls for does after one decision or another.
    """
    lock_plan(session)
    run(session, _IN_BULK)
    run(session, LET_GO_OF_POSTS.format(which="true"))
    run(session, TAKE_UP_POSTS.format(which="true"))
    run(session, TAKE_UP_VISITS.format(accounts="true", posts="true"))
    run(session, LET_GO_OF_VISITS.format(which="true"))
    plan_all(session)
    run(session, _AS_USUAL)


def take_up_posts(session: WriteSession, which: str) -> None:
    """Take up the posts that a condition on `videos` names; they are due now."""
    run(session, TAKE_UP_POSTS.format(which=which))


def let_go_of_empty(session: WriteSession, platform: str, subjects: Collection[str]) -> None:
    """Forget those of some visits that show nothing any more."""
    which = "visits.platform = %(platform)s and visits.subject = any(%(subjects)s)"
    values = {"platform": platform, "subjects": list(subjects)}
    run(session, LET_GO_OF_VISITS.format(which=which), values)
