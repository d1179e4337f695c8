"""Members of the fetch schedule: scrapable posts and their account fetches.

Posts of a scrapable account are read by its account fetch; each other post has an account fetch of
its own. `registration.scrapable` defines what is scrapable.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import and_, func, literal, select, tuple_
from sqlalchemy.orm import aliased

from warehouse.fetch_schedule.conditions import SUBJECT_SQL, sql_of
from warehouse.fetch_schedule.plan import lock_plan, plan_all, run, run_in_bulk
from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.operational.leases import LONGEST_FETCH_LEASE, has_ended
from warehouse.operational.models import Account, AccountFetch
from warehouse.operational.session import WriteSession, driver_of
from warehouse.operational.tracked_videos import among_active_accounts
from warehouse.registration.scrapable import scrapable_account, scrapable_video

SCRAPABLE_POSTS_SQL = sql_of(scrapable_video(among_active_accounts()))

SCHEDULED_POSTS = f"""
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
    where {SCRAPABLE_POSTS_SQL} and {{which}}
"""  # noqa: S608  SQL of ours

ADD_POSTS = PlanChange(
    finds=f"""
        select scheduled.*, post_looks.ctid as row_ctid
        from ({SCHEDULED_POSTS}) as scheduled
        left join post_looks on scheduled.video_id = post_looks.video_id
        where post_looks.subject is distinct from scheduled.subject
    """,  # noqa: S608  SQL of ours
    writes=""",
        moved as (
            update post_looks set subject = targets.subject
            from targets where post_looks.ctid = targets.row_ctid
        )
        insert into post_looks
            (video_id, organization_id, platform, platform_video_id, subject, looked_at, read_at,
            due_at, reason)
        select
            video_id, organization_id, platform, platform_video_id, subject, last_scraped_at,
            last_scraped_at, due_at, 'never_fetched'
        from targets
        where row_ctid is null
        on conflict do nothing
    """,
)

ADD_ACCOUNT_FETCHES = f"""
    insert into visits (platform, subject, looked_at, due_at, reason)
    select
        platform,
        {SUBJECT_SQL},
        max(
            case
                when profile_outcome is distinct from 'ok' or listing is not null
                    then profile_looked_at
                else last_discovered_at
            end
        ),
        to_timestamp(0),
        'account'
    from accounts where {sql_of(scrapable_account())} and {{accounts}}
    group by 1, 2
    union all
    select distinct platform, subject, null::timestamptz, to_timestamp(0), 'posts'
    from post_looks where subject like '#%' and {{posts}}
    on conflict do nothing
"""  # noqa: S608  SQL of ours
"""Once an account's user id is known, it continues from its account fetch by handle."""

LET_GO_OF_POSTS = PlanChange(
    finds=f"""
        select post_looks.ctid as row_ctid
        from post_looks inner join videos on post_looks.video_id = videos.id
        where not ({SCRAPABLE_POSTS_SQL}) and {{which}}
    """,  # noqa: S608  SQL of ours
    writes="delete from post_looks using targets where post_looks.ctid = targets.row_ctid",
)

LET_GO_OF_ACCOUNT_FETCHES = f"""
    with gone as (
        delete from visits
        where {{which}} and coalesce(visits.lease_expires_at <= now(), true)
            and not exists (
                select from accounts
                where accounts.platform = visits.platform and {SUBJECT_SQL} = visits.subject
                    and {sql_of(scrapable_account())}
            )
            and not exists (
                select from post_looks
                where post_looks.platform = visits.platform
                    and post_looks.subject = visits.subject
            )
        returning platform, subject, looked_at, failing_since
    )
    update visits set looked_at = gone.looked_at, failing_since = gone.failing_since
    from gone
    inner join accounts
        on gone.platform = accounts.platform and substr(gone.subject, 2) = accounts.handle
    where starts_with(gone.subject, '@') and gone.looked_at is not null
        and visits.platform = accounts.platform and visits.subject = accounts.platform_user_id
        and visits.looked_at is null
    returning visits.subject
"""  # noqa: S608  SQL of ours
"""Leased ones stay until their worker, or the next one, settles them. One by handle tells the one
by user id when it was made.
"""


_NOT_ROW_BY_ROW = "set local enable_nestloop = off"
_AS_USUAL = "set local enable_nestloop to default"

MEMBERSHIP = (
    ADD_POSTS.statement
    + ADD_ACCOUNT_FETCHES
    + LET_GO_OF_POSTS.statement
    + LET_GO_OF_ACCOUNT_FETCHES
)
"""All statements that decide on membership."""


def plan_everything(session: WriteSession) -> None:
    """Add scrapable posts and accounts, remove others, and apply the rule to all.

    Writes only differences. `changes` does the same after single decisions.
    """
    lock_plan(session)
    run_in_bulk(session, LET_GO_OF_POSTS.about(which="true"))
    run_in_bulk(session, ADD_POSTS.about(which="true"))
    run(session, _NOT_ROW_BY_ROW)
    run(session, ADD_ACCOUNT_FETCHES.format(accounts="true", posts="true"))
    run(session, LET_GO_OF_ACCOUNT_FETCHES.format(which="true"))
    run(session, _AS_USUAL)
    plan_all(session)


def add_posts(session: WriteSession, which: str) -> None:
    """Add the posts that a condition on `videos` names. They are due now."""
    run(session, ADD_POSTS.about(which=which).statement)


def let_go_of_empty(session: WriteSession, platform: str, subjects: Collection[str]) -> set[str]:
    """Delete those of some account fetches that have neither account nor posts left.

    Returns the subjects of those that go on from them.
    """
    which = "visits.platform = %(platform)s and visits.subject = any(%(subjects)s)"
    values = {"platform": platform, "subjects": list(subjects)}
    statement = LET_GO_OF_ACCOUNT_FETCHES.format(which=which).encode()
    return {subject for (subject,) in driver_of(session).execute(statement, values)}


def leased_by_handle(session: WriteSession, rows: Collection[AccountFetch]) -> Sequence[str]:
    """Return subjects of those whose user id is new: a worker still fetches them by handle."""
    by_handle = aliased(AccountFetch)
    accounts = select(Account.platform_user_id).join(
        by_handle,
        and_(
            by_handle.platform == Account.platform,
            by_handle.subject == literal("@") + Account.handle,
            ~has_ended(by_handle.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
        ),
    )
    keys = [(row.platform, row.subject) for row in rows]
    of_rows = tuple_(Account.platform, Account.platform_user_id).in_(keys)
    return [user_id for user_id in session.scalars(accounts.where(of_rows)) if user_id]
