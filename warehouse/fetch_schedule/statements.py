"""SQL that applies the rule to the posts and accounts in the schedule, to some or to all."""

from functools import cache

from warehouse.fetch_schedule.conditions import SUBJECT_SQL, sql_of
from warehouse.fetch_schedule.freshness import WANTS_SQL
from warehouse.fetch_schedule.pace import AS_NOTED
from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.fetch_schedule.post_statements import OF_THEIR_CREATORS, PLAN_POSTS
from warehouse.fetch_schedule.rule import (
    AGAIN,
    DEADLINE,
    LEAD,
    NEXT_DAY_END,
    ONCE,
    RETRY,
)
from warehouse.registration.scrapable import scrapable_account

_ANOTHER_ACCOUNT_FETCH = """
    with accounts_of as (
        select
            accounts.platform,
            {subject} as subject,
            min(
                case
                    when accounts.listing is not null and accounts.last_discovered_at is null
                        then least(wants.account_every, {retry})
                    else wants.account_every
                end
            ) as every,
            min(wants.longest) as longest,
            min({day_end_at}) as day_end_at,
            min({deadline}) filter (where {deadline} > visits.looked_at) as deadline,
            min(deadlines.ends_at) filter (
                where deadlines.ends_at > visits.looked_at + interval '1 minute'
            ) as ends_at
        from accounts
        inner join organizations on accounts.organization_id = organizations.id
        inner join {wants} on organizations.freshness = wants.freshness
        inner join visits
            on accounts.platform = visits.platform and visits.subject = {subject}
        left join look_deadlines as deadlines
            on accounts.creator_id = deadlines.creator_id and visits.failing_since is not null
        where {scrapable} and {account_fetches}
        group by 1, 2
    ),
    due as (
        select
            visits.ctid as row_ctid,
            visits.platform,
            visits.subject,
            visits.looked_at,
            visits.account_due_at as account_due_before,
            visits.due_at as due_before,
            visits.pays_at as pays_before,
            visits.oldest_at as oldest_before,
            case
                when visits.failing_since is not null
                    then visits.looked_at + least(
                        accounts_of.every,
                        greatest(
                            least(
                                {again},
                                case
                                    when posts.pays_at <= visits.looked_at
                                        then date_part(
                                            'epoch', accounts_of.ends_at - visits.looked_at
                                        ) / 2
                                end
                            ),
                            date_part('epoch', visits.looked_at - visits.failing_since)
                        )
                    ) * interval '1 second'
            end as retry_at,
            case
                when accounts_of.subject is null then null
                when visits.looked_at is null then to_timestamp(0)
                when accounts_of.day_end_at > visits.looked_at
                    and accounts_of.day_end_at <= visits.looked_at
                        + accounts_of.longest * interval '1 second'
                    and accounts_of.day_end_at < visits.looked_at
                        + accounts_of.every * 1.25 * interval '1 second'
                    then accounts_of.day_end_at
                else visits.looked_at + accounts_of.every * interval '1 second'
            end as account_due_at,
            posts.due_at as posts_due_at,
            posts.pays_at,
            least(posts.pays_next_at, accounts_of.deadline) as pays_next_at,
            case
                when posts.never or (accounts_of.subject is not null and visits.looked_at is null)
                    then null
                else least(posts.oldest_at, visits.looked_at)
            end as oldest_at
        from visits
        left join accounts_of
            on visits.platform = accounts_of.platform and visits.subject = accounts_of.subject
        left join (
            select
                post_looks.platform,
                post_looks.subject,
                min(post_looks.due_at) as due_at,
                min(post_looks.pays_at) as pays_at,
                min(post_looks.pays_at) filter (where post_looks.pays_at > failing.looked_at)
                    as pays_next_at,
                min(post_looks.looked_at) as oldest_at,
                bool_or(post_looks.looked_at is null) as never
            from post_looks
            left join visits as failing
                on post_looks.platform = failing.platform and post_looks.subject = failing.subject
                and failing.failing_since is not null
            where {posts} group by 1, 2
        ) as posts
            on visits.platform = posts.platform and visits.subject = posts.subject
        where {account_fetches}
        {once}
    ),
    decided as (
        select
            due.*,
            least(account_due_at, retry_at) as account_again_at,
            case
                when retry_at is null
                    then coalesce(least(account_due_at, posts_due_at), due_before)
                else least(retry_at, again.pays_at)
            end as any_due_at,
            again.pays_at as again_pays_at
        from due
        cross join lateral (
            select
                case
                    when due.retry_at is null or due.pays_at > due.looked_at then due.pays_at
                    when due.pays_at is not null then least(due.retry_at, due.pays_next_at)
                end as pays_at
        ) as again
    )
    select
        row_ctid,
        platform,
        subject,
        account_again_at as account_due_at,
        any_due_at as due_at,
        again_pays_at as pays_at,
        oldest_at,
        case when posts_due_at < account_due_at or account_due_at is null then 'posts'
            else 'account' end as reason
    from decided
    where (account_due_before, due_before, pays_before, oldest_before) is distinct from (
        account_again_at, any_due_at, again_pays_at, oldest_at
    )
"""
"""Without an answer, the next try is at the next instant from which a post pays, however many have
passed: what pays already has its last chance at each end of a period. If it first fails minutes
before one, half of the time left is waited: as long as it has been failing then reaches the end."""

_WRITE_ACCOUNT_FETCHES = """
    update visits
    set
        account_due_at = targets.account_due_at,
        due_at = targets.due_at,
        pays_at = targets.pays_at,
        oldest_at = targets.oldest_at,
        reason = targets.reason
    from targets where visits.platform = targets.platform and visits.subject = targets.subject
"""
"""By key and not by ctid, because workers that claim and release rows move them meanwhile."""

_PLAN_ACCOUNT_FETCHES = PlanChange(_ANOTHER_ACCOUNT_FETCH, _WRITE_ACCOUNT_FETCHES)

PLANNING = PLAN_POSTS.statement + _PLAN_ACCOUNT_FETCHES.statement
"""All statements that decide on due times."""


@cache
def planning(posts: str, account_fetches: str, readings: str = AS_NOTED) -> tuple[str, ...]:
    """Return the statements that apply the rule to some posts, then to some account fetches.

    `posts` is a condition on `fetches`, `account_fetches` one on platform and subject of `{0}`.
    `readings` is AS_NOTED or WITH_READINGS.
    """
    of_posts = account_fetches.format("post_looks")
    of_account_fetches = account_fetches.format("visits")
    whose = OF_THEIR_CREATORS.format(posts)
    return (
        PLAN_POSTS.about(which=posts, whose=whose, readings=readings).statement,
        _plan_account_fetches(posts=of_posts, account_fetches=of_account_fetches).statement,
    )


def _plan_account_fetches(*, posts: str, account_fetches: str) -> PlanChange:
    day_end_at = NEXT_DAY_END.format(
        at="visits.looked_at",
        lead=LEAD.format(subject="visits.subject"),
        zone="organizations.analytics_tz",
    )
    return _PLAN_ACCOUNT_FETCHES.about(
        subject=SUBJECT_SQL,
        once=ONCE,
        day_end_at=day_end_at,
        deadline=DEADLINE.format(ends_at="deadlines.ends_at", subject="visits.subject"),
        retry=str(RETRY),
        again=str(AGAIN),
        wants=WANTS_SQL,
        scrapable=sql_of(scrapable_account()),
        posts=posts,
        account_fetches=account_fetches,
    )


ALL = (
    PLAN_POSTS.about(which="true", whose="true", readings=AS_NOTED),
    _plan_account_fetches(posts="true", account_fetches="true"),
)
"""The changes that apply the rule to the whole schedule."""
