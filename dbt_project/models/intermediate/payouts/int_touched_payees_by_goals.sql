{{ config(materialized="view") }}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'goals'
),

facts as (
    select * from {{ ref('int_payout_goal_facts') }}
),

published as (
    select * from {{ source('control', 'payout_goal_facts') }}
),

by_facts as (
    select
        creator_id,
        date '-infinity' as from_day
    from facts
    full join published using (creator_id)
    where
        facts.facts is distinct from published.facts
        or facts.digest is distinct from published.digest
),

-- Days of another zone than the organization's begin up to 26 hours earlier.

by_followers as (
    select
        accounts.creator_id,
        if(isfinite(touched.from_day), touched.from_day - 2, touched.from_day) as from_day
    from {{ ref('int_touched_accounts') }} as touched
    inner join {{ ref('stg_accounts') }} as accounts using (account_id)
    where touched.from_day is not null
),

by_posts as (
    select
        creator_id,
        posted_on as from_day
    from {{ ref('int_payout_videos') }}
    where posted_at > {{ previous_as_of() }} and posted_at <= {{ as_of() }}
),

touched as (
    select * from by_facts
    union all
    select * from by_followers
    union all
    select * from by_posts
)

select
    payees.payee_id,
    touched.from_day
from touched
inner join payees using (creator_id)
