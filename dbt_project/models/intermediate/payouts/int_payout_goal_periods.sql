with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'goals'
),

periods as (
    select
        payees.creator_id,
        payees.timezone,
        payees.period,
        periods.payee_id,
        periods.period_start,
        periods.period_end,
        periods.starts_at,
        periods.ends_at,
        versions.platform,
        versions.account_id
    from {{ ref('int_payout_periods') }} as periods
    inner join payees using (payee_id)
    inner join {{ ref('int_payout_versions') }} as versions using (version_id)
),

states as (
    select
        states.*,
        min(states.valid_from) over (partition by states.goal_id) as created_at
    from {{ ref('stg_goal_states') }} as states
    semi join payees using (creator_id)
),

-- Each goal as of the period's end, or as of now; a goal created later, as it was created (M21).

period_states as (
    select
        periods.*,
        states.goal_id,
        states.metric,
        states.period as period_of_state,
        states.target_value,
        states.start_date,
        states.end_date,
        states.is_in_force,
        states.created_at,
        states.valid_from,
        states.platform as goal_platform,
        states.account_id as goal_account_id,
        if(
            periods.ends_at <= {{ as_of() }},
            states.valid_from < periods.ends_at,
            states.valid_from <= {{ as_of() }}
        ) as has_begun
    from periods
    inner join states using (creator_id)
),

judging as (
    select * from period_states
    qualify row_number() over (
        partition by payee_id, period_start, goal_id
        order by has_begun desc, if(has_begun, valid_from, null) desc nulls last, valid_from
    ) = 1
),

judged as (
    select * from judging
    where
        period_of_state = period
        and is_in_force
        and (start_date is null or start_date <= period_start)
        and (end_date is null or end_date >= period_end)
),

-- What is in both scopes; nothing if they name different platforms or accounts (M11).

scoped as (
    select
        judged.* exclude (platform, account_id),
        coalesce(judged.goal_platform, judged.platform) as platform,
        coalesce(judged.goal_account_id, judged.account_id) as account_id
    from judged
    where
        coalesce(judged.goal_platform = judged.platform, true)
        and coalesce(judged.goal_account_id = judged.account_id, true)
)

select
    scoped.payee_id,
    scoped.creator_id,
    scoped.timezone,
    scoped.period,
    scoped.period_start,
    scoped.period_end,
    scoped.starts_at,
    scoped.ends_at,
    scoped.goal_id,
    scoped.metric,
    scoped.target_value,
    coalesce(
        scoped.start_date,
        least({{ local_day("scoped.created_at", "offsets.utc_offset_seconds") }}, scoped.period_start)
    ) as counts_from,
    scoped.platform,
    scoped.account_id
from scoped
inner join {{ ref('int_utc_offsets') }} as offsets
    on
        scoped.timezone = offsets.zone
        and scoped.created_at >= offsets.starts_at
        and scoped.created_at < offsets.ends_at
left join {{ ref('stg_accounts') }} as accounts on scoped.account_id = accounts.account_id
where coalesce(scoped.platform = accounts.platform, true)
