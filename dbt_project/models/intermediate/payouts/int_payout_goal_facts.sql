{#- Equal rows of two runs are told by a count and a digest; a row's hash is hashed once more, because
    DuckDB combines columns by XOR. #}

with

facts as (
    select
        states.creator_id,
        hash(hash(states)) as digest
    from {{ ref('stg_goal_states') }} as states
    where states.valid_from <= {{ as_of() }}
    union all
    select
        states.creator_id,
        hash(hash(states, 'to come')) as digest
    from {{ ref('stg_goal_states') }} as states
    where states.valid_from > {{ as_of() }}
    union all
    select
        accounts.creator_id,
        hash(hash(accounts.account_id, accounts.platform)) as digest
    from {{ ref('stg_accounts') }} as accounts
    union all
    select
        accounts.creator_id,
        hash(hash(idle)) as digest
    from {{ ref('int_idle_accounts') }} as idle
    inner join {{ ref('stg_accounts') }} as accounts using (account_id)
)

select
    creator_id,
    count(*) as facts,
    bit_xor(digest) as digest
from facts
semi join {{ ref('int_payout_payees') }} using (creator_id)
group by creator_id
