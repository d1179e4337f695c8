"""The rule for a post's next fetch, pure and defined once, in SQL.

A fetch is due when the post may have grown by more than the allowed error, or its age has grown by
half, because the rate of a young post changes soon. Near a paying view threshold it is due when the
threshold may be reached. No fetch comes sooner than `shortest` after the last, or later than
`longest`. If the end of a day or of a paying period lies in between and the post grows by then, the
fetch comes right before it: views count on the day on which they were read (money.md M7), so that
reading matters most. A wait of LONG or `longest` ends there even for an idle post, which may take
off at any hour. A failed fetch is repeated after as long as the post has not been read.
"""

SMALLEST = 1000
"""Minimum of views from which the allowed error is computed."""
LONG = 20 * 3600
"""Seconds."""
RETRY = 3600
"""Minimum seconds before a failed or incomplete fetch is repeated."""
AGAIN = 300
"""Seconds before an account without an answer is due again; later as long as it has been failing.
"""
ONCE = "offset '0'"
"""Makes PostgreSQL evaluate a query once instead of inlining it. The quotes make the literal a
bigint: with a cast, PostgreSQL does not use parallel workers."""
_LATE = "date_part('epoch', {} - waits.looked_at) / 86400"

NEXT_FETCHES = f"""
    waits as (
        select
            facts.*,
            pace.a_day,
            date_part('epoch', facts.looked_at - facts.posted_at) / 2 as by_age,
            86400 * pace.allowed / pace.a_day as by_growth,
            86400 * (facts.threshold - facts.views) / pace.a_day as by_threshold,
            case
                when facts.read_at is null or facts.read_at < facts.looked_at
                    then greatest({RETRY}, date_part('epoch', facts.looked_at - facts.read_at))
            end as by_failure
        from facts
        cross join lateral (
            select
                case when facts.views_a_day is not null then greatest(facts.views_a_day, 1e-6) end
                    as a_day,
                greatest(facts.views, {SMALLEST}) * facts.share as allowed
        ) as pace
        {ONCE}
    ),
    next_fetches as (
        select
            waits.*,
            next_fetch.due_at,
            next_fetch.reason,
            least(
                paying.deadline,
                case when next_fetch.reason = 'threshold' then next_fetch.due_at end
            ) as pays_at
        from waits
        cross join lateral (
            select
                least(
                    waits.longest,
                    waits.by_age,
                    waits.by_growth,
                    waits.by_threshold,
                    waits.by_failure
                ) as requested
        ) as soonest
        cross join lateral (
            select
                least(waits.shortest, waits.by_failure) as shortest
        ) as least_wait
        cross join lateral (
            select
                greatest(soonest.requested, least_wait.shortest) as seconds,
                greatest(soonest.requested, least_wait.shortest) >= least({LONG}, waits.longest)
                    as is_long,
                coalesce(waits.a_day * {_LATE.format("waits.deadline")} >= 1, true)
                    as grows_by_deadline,
                coalesce(waits.a_day * {_LATE.format("waits.day_end_at")} >= 1, true)
                    as grows_by_day_end,
                case soonest.requested
                    when waits.by_threshold then 'threshold'
                    when waits.by_failure then 'failed'
                    when waits.by_growth then 'growth'
                    when waits.by_age then 'age'
                    else 'idle'
                end as reason
        ) as wait
        cross join lateral (
            select
                waits.looked_at + wait.seconds * interval '1 second' as due_at,
                waits.looked_at + waits.longest * interval '1 second' as at_the_latest,
                wait.seconds / 4 * interval '1 second' as patience
        ) as usual
        cross join lateral (
            select
                wait.is_long
                    and waits.deadline < usual.at_the_latest
                    and waits.deadline > waits.day_end_at
                    and waits.deadline < waits.day_end_at + interval '1 hour' as is_with_deadline,
                waits.day_end_at > waits.looked_at and waits.day_end_at <= usual.at_the_latest
                and waits.day_end_at < usual.due_at + usual.patience
                and (wait.grows_by_day_end or wait.is_long) as is_awaited
        ) as day_end
        cross join lateral (
            select
                case
                    when waits.deadline > waits.looked_at
                        and (wait.grows_by_deadline or day_end.is_with_deadline)
                        then waits.deadline
                end as deadline
        ) as paying
        cross join lateral (
            select
                paying.deadline < greatest(
                    usual.due_at,
                    case when day_end.is_awaited then waits.day_end_at end,
                    case when day_end.is_with_deadline then usual.at_the_latest end
                ) as is_period_end
        ) as chosen
        cross join lateral (
            select
                case
                    when waits.looked_at is null then waits.posted_at
                    when chosen.is_period_end then waits.deadline
                    when day_end.is_awaited then waits.day_end_at
                    else usual.due_at
                end as due_at,
                case
                    when waits.looked_at is null then 'never_fetched'
                    when chosen.is_period_end then 'period_end'
                    when day_end.is_awaited then 'day_end'
                    else wait.reason
                end as reason
        ) as next_fetch
        {ONCE}
    )
"""  # noqa: S608  SQL of ours
"""Goes after `with facts as (...),`, one row per post: looked_at (null: never), posted_at, read_at
(null: never read), views, views_a_day, threshold (each null if unknown or none), day_end_at and
deadline (when to fetch before the end of the day and of a paying period; null: none), share,
shortest and longest (Wants). Defines `next_fetches`: the same with due_at, reason and pays_at. From
pays_at on (null: never) the fetch affects pay and comes first: at a threshold, and at a deadline,
also if it was due before for another reason, and late."""


LEAD = "interval '1 minute' * (12 + (hashtext({subject}) & 31))"
"""How long before the end of a day a fetch takes place. Spread by subject to limit the platform's
load, and constant, so that days have equal length."""

DEADLINE = f"{{ends_at}} - interval '10 minutes' - {LEAD} / 9"
"""When to fetch before a period ends: 11 to 15 minutes, because workers run every ten, and within
the 15 minutes in which a reading counts as the one before the end."""

START_OF_DAY = """
    least(
        ({day}) at time zone {zone},
        ({day} - interval '1 hour') at time zone {zone} + interval '1 hour'
    )
"""
"""The start of a local day. Where clocks go back from 1:00 to 0:00 there are two midnights, and
PostgreSQL takes the second."""

NEXT_DAY_END = (
    START_OF_DAY.format(
        day="""
            date_trunc('day', ({at} + {lead} + interval '5 minutes') at time zone {zone})
            + interval '1 day'
        """,
        zone="{zone}",
    )
    + " - {lead}"
)
"""The first such instant at least five minutes after another."""
