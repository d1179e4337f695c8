{{ config(materialized="view") }}

{#- Names tables without their database, and no other view, so that a publication can use its text unchanged.
    #}

with

earnings as (
    select * from {{ ref('payout_earned').include(database=false) }}
),

structures as (
    select * from {{ ref('payout_structures').include(database=false) }}
),

-- Joins time with organizations before earnings: for a query by status, DuckDB would otherwise join the run's
-- one row to everything by that condition alone.

organizations as (
    select
        organizations.organization_id,
        organizations.payout_settling_days,
        run.as_of
    from {{ ref('organizations').include(database=false) }} as organizations
    cross join {{ ref('run').include(database=false) }} as run
),

-- Decided accruals are not a CTE: one that is read twice is materialized, with all evidence. `not
-- materialized` does not help: DuckDB drops it from a view when the file is reopened.

undecided as (
    select
        {{- as_accrual("earnings", "organizations.as_of") }},
        rules.status_by_time(
            organizations.as_of,
            earnings.ends_at,
            earnings.period_end,
            earnings.timezone,
            rules.settling_days(organizations.payout_settling_days, earnings.is_checked)
        ) as status,
        cast(null as uuid) as payment_id,
        cast(null as varchar) as note
    from earnings
    anti join {{ ref('payout_decided_accruals').include(database=false) }} using (accrual_id)
    inner join organizations on earnings.organization_id = organizations.organization_id
),

accruals as (
    select * from undecided
    union all by name
    select * from {{ ref('payout_decided_accruals').include(database=false) }}
)

select
    {%- for column in accrual_columns() %}
        accruals.{{ column }},
    {%- endfor %}
    accruals.evidence,
    accruals.status,
    accruals.payment_id,
    accruals.note,
    structures.name as structure_name
from accruals
left join structures
    on accruals.structure_id = structures.structure_id
