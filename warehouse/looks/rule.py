"""The rule: when a post is looked at next, from what is known of it. Pure, and said once, in SQL.

A look is due when the post may have grown by more than a reading may be off, or has become half as
old again, since the pace of a young post is soon another one; near a threshold of views that pays,
when it may have been reached. No look comes sooner than `shortest` after the last, none later than
`longest`. Where the end of a day or of a period that pays lies in between, and the post grows by
then, the look is taken right before it: views count in the day in which they were read (money.md
M7), so that a reading then tells most. A look that failed is taken again after as long a time as
the post has not been read.
"""

SMALLEST = 1000
"""Views below which the share that a reading may be off is not taken of the post's own views."""
PAYING = ("period_end", "threshold")
"""Reasons on which money hangs: where a day may not have all looks, these come first."""
RETRY = 3600
"""Seconds after which a look that failed is taken again at the soonest, and one that was cut."""
_LATE = "date_part('epoch', {} - facts.looked_at) / 86400"

NEXT_LOOK = f"""
    cross join lateral (
        select
            case when facts.views_a_day is not null then greatest(facts.views_a_day, 1e-6) end
                as a_day,
            greatest(facts.views, {SMALLEST}) * facts.share as allowed
    ) as pace
    cross join lateral (
        select
            date_part('epoch', facts.looked_at - facts.posted_at) / 2 as by_age,
            86400 * pace.allowed / pace.a_day as by_growth,
            86400 * (facts.threshold - facts.views) / pace.a_day as by_threshold,
            case
                when facts.read_at is null or facts.read_at < facts.looked_at
                    then greatest({RETRY}, date_part('epoch', facts.looked_at - facts.read_at))
            end as by_failure
        offset 0  -- worked out once, not wherever it is named
    ) as waits
    cross join lateral (
        select
            least(
                facts.longest, waits.by_age, waits.by_growth, waits.by_threshold, waits.by_failure
            ) as asked
    ) as soonest
    cross join lateral (
        select
            greatest(soonest.asked, least(facts.shortest, waits.by_failure)) as seconds,
            coalesce(pace.a_day * {_LATE.format("facts.deadline")} >= 1, true) as grows_by_deadline,
            coalesce(pace.a_day * {_LATE.format("facts.mark")} >= 1, true) as grows_by_mark,
            case soonest.asked
                when waits.by_threshold then 'threshold'
                when waits.by_failure then 'failed'
                when waits.by_growth then 'growth'
                when waits.by_age then 'age'
                else 'idle'
            end as reason
    ) as wait
    cross join lateral (
        select
            facts.looked_at + wait.seconds * interval '1 second' as due_at,
            facts.looked_at + facts.longest * interval '1 second' as at_the_latest,
            wait.seconds / 4 * interval '1 second' as patience
    ) as usual
    cross join lateral (
        select
            facts.deadline > facts.looked_at and facts.deadline < usual.due_at
            and wait.grows_by_deadline as waits_for_deadline,
            facts.mark > facts.looked_at and facts.mark <= usual.at_the_latest
            and facts.mark < usual.due_at + usual.patience and wait.grows_by_mark as waits_for_mark
    ) as chosen
    cross join lateral (
        select
            case
                when facts.looked_at is null then facts.posted_at
                when chosen.waits_for_deadline then facts.deadline
                when chosen.waits_for_mark then facts.mark
                else usual.due_at
            end as due_at,
            case
                when facts.looked_at is null then 'never_looked'
                when chosen.waits_for_deadline then 'period_end'
                when chosen.waits_for_mark then 'day_end'
                else wait.reason
            end as reason
    ) as next_look
"""
"""To be put behind `from facts`, a relation of one row a post: looked_at (null: never), posted_at,
read_at (null: nothing was ever read), views, views_a_day, threshold (each null where unknown or
none), mark and deadline (when to look before the end of the day and of a period that pays; null:
none), share, shortest and longest (Wants). Gives `next_look.due_at` and `next_look.reason`."""
