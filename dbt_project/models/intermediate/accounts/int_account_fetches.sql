{%- set facts = ref('stg_scrape_outcomes') %}

with

published as (
    {{ past(source('control', 'account_fetches')) }}
),

newly_known as (
    {{ new_facts(facts, "finished_at") }}
),

new_fetches as (
    select
        account_id,
        finished_at,
        outcome,
        job_type
    from newly_known
    where account_id is not null and video_id is null
),

late as (
    select distinct account_id
    from new_fetches
    inner join published using (account_id)
    where new_fetches.finished_at <= published.last_outcome_at
),

fetches as (
    select new_fetches.*
    from new_fetches
    anti join late using (account_id)
    union all
    select
        history.account_id,
        history.finished_at,
        history.outcome,
        history.job_type
    from {{ facts }} as history
    semi join late using (account_id)
    where history.video_id is null
),

earlier as (
    select published.*
    from published
    anti join late using (account_id)
),

ordered as (
    select
        *,
        max(if(outcome = 'ok', finished_at, null)) over (partition by account_id) as success_at,
        max(finished_at) over (partition by account_id) as last_at
    from fetches
),

fresh as (
    select
        account_id,
        max(finished_at) filter (where outcome = 'ok' and job_type = 'creator_profiles') as last_profile_at,
        max(finished_at) filter (where outcome = 'ok' and job_type = 'discover_videos') as last_discovery_at,
        max(success_at) as last_success_at,
        arg_max(outcome, (job_type, outcome)) filter (where finished_at = last_at) as last_outcome,
        max(finished_at) as last_outcome_at,
        count(*) filter (where success_at is null or finished_at > success_at) as failures_since_success
    from ordered
    group by account_id
)

select
    account_id,
    greatest(earlier.last_profile_at, fresh.last_profile_at) as last_profile_at,
    greatest(earlier.last_discovery_at, fresh.last_discovery_at) as last_discovery_at,
    greatest(earlier.last_success_at, fresh.last_success_at) as last_success_at,
    coalesce(fresh.last_outcome, earlier.last_outcome) as last_outcome,
    coalesce(fresh.last_outcome_at, earlier.last_outcome_at) as last_outcome_at,
    coalesce(fresh.failures_since_success, 0)
    + if(fresh.last_success_at is null, coalesce(earlier.failures_since_success, 0), 0)
        as failures_since_success
from earlier
full join fresh using (account_id)
