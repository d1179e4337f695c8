{{ config(materialized="view") }}

{#- Names tables and views by schema only, so that a publication can use its text unchanged. -#}
{%- set statuses = ("open", "settling", "final", "approved", "paid") %}

with

-- Joins time before accruals, as in payout_accruals.

organizations as (
    select
        organizations.organization_id,
        organizations.payout_settling_days,
        run.as_of,
        cast(date_trunc('month', timezone(organizations.analytics_tz, run.as_of)) as date) as month
    from {{ ref('organizations').include(database=false) }} as organizations
    cross join {{ ref('run').include(database=false) }} as run
),

present as (
    select
        budgets.*,
        organizations.month
    from {{ ref('payout_budgets').include(database=false) }} as budgets
    inner join organizations on budgets.organization_id = organizations.organization_id
),

-- The mart payout_accruals has what everybody is owed. Its two halves are read here for projects with budgets
-- only: with one such organization among six, that takes a tenth of the time.

decided as (
    select accruals.*
    from {{ ref('payout_decided_accruals').include(database=false) }} as accruals
    semi join present
        on
            accruals.organization_id = present.organization_id
            and accruals.project_id = present.project_id
),

undecided as (
    select
        earnings.*,
        rules.status_by_time(
            organizations.as_of,
            earnings.ends_at,
            earnings.period_end,
            earnings.timezone,
            rules.settling_days(organizations.payout_settling_days, earnings.is_checked)
        ) as status
    from {{ ref('payout_earned').include(database=false) }} as earnings
    semi join present
        on
            earnings.organization_id = present.organization_id
            and earnings.project_id = present.project_id
    anti join decided on earnings.accrual_id = decided.accrual_id
    inner join organizations on earnings.organization_id = organizations.organization_id
),

accruals as (
    select * from undecided
    union all by name
    select * from decided
),

-- A correction belongs to the month of the accrual that it corrects.

due as materialized (
    select
        project_id,
        structure_id,
        creator_id,
        status,
        cast(date_trunc('month', period_end) as date) as month,
        amount_cents
    from accruals
    where status <> 'void'
),

-- The detail that budgets need: by creator only for campaigns.

of_structures as (
    select
        project_id,
        structure_id,
        status,
        month,
        sum(amount_cents) as amount_cents
    from due
    group by all
),

reached as (
    select distinct
        present.project_id,
        present.campaign_id,
        members.creator_id
    from present
    inner join {{ ref('campaign_creators').include(database=false) }} as members
        on
            present.organization_id = members.organization_id
            and present.campaign_id = members.campaign_id
),

of_campaigns as (
    select
        reached.project_id,
        reached.campaign_id,
        due.status,
        due.month,
        sum(due.amount_cents) as amount_cents
    from reached
    inner join due
        on
            reached.project_id = due.project_id
            and reached.creator_id = due.creator_id
    group by all
),

counted as (
    select
        present.budget_id,
        if(present.period = 'monthly', sums.month, null) as month,
        sums.status,
        sums.amount_cents
    from present
    inner join of_structures as sums
        on
            present.project_id = sums.project_id
            and (present.structure_id is null or present.structure_id = sums.structure_id)
    where present.campaign_id is null
    union all
    select
        present.budget_id,
        if(present.period = 'monthly', sums.month, null) as month,
        sums.status,
        sums.amount_cents
    from present
    inner join of_campaigns as sums using (project_id, campaign_id)
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
            rules.bounded_cents(coalesce(sum(amount_cents) filter (where status = '{{ status }}'), 0))
                as {{ status }}_cents,
        {%- endfor %}
        rules.bounded_cents(coalesce(sum(amount_cents), 0)) as exposure_cents
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
