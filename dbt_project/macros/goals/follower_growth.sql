{% macro follower_growth(days, kinds) -%}
    {#- The growth of each account's followers in periods: the last known number in the period minus the last
        before it, or the first in it (money.md M20). `days` has account_id, creator_id, timezone, day,
        first_followers and last_followers; `kinds` creator_id, timezone and period. -#}
    with

    ends as (
        select
            days.creator_id,
            days.account_id,
            days.timezone,
            kinds.period,
            rules.period_start(days.day, kinds.period) as period_start,
            arg_min(days.first_followers, days.day) as first_followers,
            arg_max(days.last_followers, days.day) as last_followers,
            min(days.day) as first_day,
            max(days.day) as last_day
        from {{ days }} as days
        inner join {{ kinds }} as kinds using (creator_id, timezone)
        group by all
    )

    select
        creator_id,
        account_id,
        timezone,
        period,
        period_start,
        'followers' as metric,
        coalesce(lag(last_followers) over earlier, first_followers) as count_from,
        coalesce(lag(last_day) over earlier, first_day) as from_day,
        last_followers as count_to,
        last_day as to_day,
        count_to - count_from as gained
    from ends
    window earlier as (partition by account_id, timezone, period order by period_start)
{%- endmacro %}
