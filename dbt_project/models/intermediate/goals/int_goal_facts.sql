{#- Two runs' equal rows are detected by a count and a digest; each row's hash is hashed again, because DuckDB
    combines columns by XOR. #}

with

states as (
    select
        *,
        valid_from <= {{ as_of() }} as has_begun
    from {{ ref('stg_goal_states') }}
),

accounts as (
    select * from {{ ref('stg_accounts') }}
),

facts as (
    select
        states.creator_id,
        hash(hash(
            states.goal_state_id, states.goal_id, states.metric, states.period, states.target_value,
            states.start_date, states.end_date, states.platform, states.account_id, states.is_in_force,
            states.valid_from, states.has_begun, organizations.analytics_tz
        )) as digest
    from states
    inner join {{ ref('stg_organizations') }} as organizations using (organization_id)
    union all
    select
        creator_id,
        hash(hash(account_id, platform)) as digest
    from accounts
    union all
    select
        accounts.creator_id,
        hash(hash(idle.account_id, idle.from_at, idle.until_at)) as digest
    from {{ ref('int_idle_accounts') }} as idle
    inner join accounts using (account_id)
)

select
    facts.creator_id,
    count(*) as facts,
    bit_xor(facts.digest) as digest
from facts
semi join states using (creator_id)
group by facts.creator_id
