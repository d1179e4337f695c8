{{ config(materialized="view") }}

{#- Names tables and views by schema only, so that a publication can hold it as it is. -#}
{%- set statuses = ("open", "settling", "final", "approved", "paid") %}

with

present as (
    select
        budgets.*,
        cast(date_trunc('month', timezone(organizations.analytics_tz, run.as_of)) as date) as month
    from {{ ref('payout_budgets').include(database=false) }} as budgets
    inner join {{ ref('organizations').include(database=false) }} as organizations
        on budgets.organization_id = organizations.organization_id
    cross join {{ ref('run').include(database=false) }} as run
),

-- As finely as budgets tell accruals apart. A correction is of the month of what it corrects.

amounts as (
    select
        accruals.organization_id,
        accruals.project_id,
        accruals.structure_id,
        accruals.creator_id,
        accruals.status,
        cast(date_trunc('month', accruals.period_end) as date) as month,
        cast(sum(accruals.amount_cents) as bigint) as amount_cents
    from {{ ref('payout_accruals').include(database=false) }} as accruals
    semi join present on accruals.organization_id = present.organization_id
    where accruals.status <> 'void'
    group by all
),

reached as (
    select
        present.budget_id,
        members.creator_id
    from present
    inner join {{ ref('campaign_creators').include(database=false) }} as members
        on
            present.organization_id = members.organization_id
            and present.campaign_id = members.campaign_id
),

counted as (
    select
        present.budget_id,
        if(present.period = 'monthly', amounts.month, null) as month,
        amounts.status,
        amounts.amount_cents
    from present
    inner join amounts
        on
            present.organization_id = amounts.organization_id
            and present.project_id = amounts.project_id
            and (present.structure_id is null or present.structure_id = amounts.structure_id)
    left join reached
        on
            present.budget_id = reached.budget_id
            and amounts.creator_id = reached.creator_id
    where present.campaign_id is null or reached.creator_id is not null
    union all
    select
        budget_id,
        if(period = 'monthly', month, null) as month,
        null as status,
        null as amount_cents
    from present
),

sums as (
    select
        budget_id,
        month,
        {%- for status in statuses %}
        cast(coalesce(sum(amount_cents) filter (where status = '{{ status }}'), 0) as bigint)
            as {{ status }}_cents,
        {%- endfor %}
        cast(coalesce(sum(amount_cents), 0) as bigint) as exposure_cents
    from counted
    group by budget_id, month
),

spent as (
    select
        sums.*,
        present.organization_id,
        present.project_id,
        present.campaign_id,
        present.structure_id,
        present.amount_cents,
        present.thresholds,
        coalesce(sums.month = present.month, true) as is_present
    from sums
    inner join present using (budget_id)
)

select
    budget_id,
    month,
    organization_id,
    project_id,
    campaign_id,
    structure_id,
    is_present,
    amount_cents,
    {%- for status in statuses %}
    {{ status }}_cents,
    {%- endfor %}
    exposure_cents,
    amount_cents - exposure_cents as left_cents,
    list_filter(
        thresholds, lambda threshold: 100 * exposure_cents >= threshold * amount_cents
    ) as reached
from spent
