{#- Equal rows of two runs are told by a count and a digest; a row's hash is hashed once more, because
    DuckDB combines columns by XOR. #}

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
        hash(hash(states, organizations.analytics_tz)) as digest
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
        hash(hash(idle)) as digest
    from {{ ref('int_idle_accounts') }} as idle
    inner join accounts using (account_id)
)

select
    creator_id,
    count(*) as facts,
    bit_xor(digest) as digest
from facts
semi join states using (creator_id)
group by creator_id
