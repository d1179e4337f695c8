{{ config(materialized="view") }}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
    where criteria_type = 'cpm'
),

periods as (
    select * from {{ ref('int_payout_periods') }}
),

rules as (
    select * from {{ ref('int_payout_cpm_rules') }}
),

totals as (
    select * from {{ ref('int_payout_cpm_totals') }}
    where period_start >= {{ least_of(ref('int_payout_periods'), "period_start", "date") }}
),

views as (
    select * from {{ ref('int_payout_views') }}
),

limited as (
    select
        payees.*,
        periods.* exclude (payee_id),
        totals.impressions,
        totals.carry_in,
        totals.carry_out,
        totals.before_cap_cents,
        totals.precise_amount,
        totals.running_total_before,
        totals.running_total,
        rules.min_impressions,
        rules.max_payout_cents,
        rules.tiers,
        rules.platform_scope,
        rules.platform,
        rules.account_id,
        rules.view_lifetime_days,
        views.videos,
        {{ limits({
            "max_payout": "totals.before_cap_cents > rules.max_payout_cents",
            "min_impressions": "totals.carry_out > 0",
            "paused": "periods.paused_days > 0",
            "view_lifetime": "views.is_cut_by_lifetime",
        }) }} as limits
    from totals
    inner join payees using (payee_id)
    inner join periods using (payee_id, period_start)
    inner join rules using (version_id)
    left join views using (payee_id, period_start)
    where totals.impressions > 0 or totals.carry_in > 0
)

select
    {{ earning_of_period("cast(round(running_total) - round(running_total_before) as bigint)") }},
    cast(null as json) as evidence,
    -- In a list, because DuckDB 1.5.5 reads structs as nulls by read_duckdb (see payout_earned)
    [{
        'impressions': impressions,
        'carry_in': carry_in,
        'carry_out': carry_out,
        'min_impressions': min_impressions,
        'max_payout_cents': max_payout_cents,
        'tiers': tiers,
        'platform_scope': platform_scope,
        'platform': platform,
        'account_id': account_id,
        'view_lifetime_days': view_lifetime_days,
        'before_cap_cents': before_cap_cents,
        'running_total_before_cents': running_total_before,
        'running_total_cents': running_total,
        'covered': covered,
        'limited_by': limits,
        'videos': videos
    }] as cpm_evidence
from limited
