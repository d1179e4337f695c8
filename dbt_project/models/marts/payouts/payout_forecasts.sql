{%- set since = local_day(as_of(), 0) ~ " - 3 * 31" %}

with

horizons as (
    select
        organization_id,
        cut_day,
        cast(last_day(cut_day + 1) - cut_day as integer) as days
    from {{ ref('int_forecast_cuts') }}
),

-- Each payee covered on the day after a cut, without fees: the periods from the current one (`first_day`) to
-- the last that ends within the month, and the history of them and of the whole periods before (from `since`
-- on: the last month, or four weeks). Without such days, those of the structure.

offsets as (
    select
        organizations.organization_id,
        offsets.starts_at,
        offsets.ends_at,
        offsets.utc_offset_seconds
    from {{ ref('stg_organizations') }} as organizations
    inner join {{ ref('int_utc_offsets') }} as offsets on organizations.analytics_tz = offsets.zone
),

covered as (
    select
        horizons.organization_id,
        horizons.cut_day,
        horizons.days,
        covered.payee_id,
        covered.from_day
    from horizons
    inner join {{ ref('payout_covered_days') }} as covered
        on
            horizons.organization_id = covered.organization_id
            and horizons.cut_day + 1 >= covered.from_day
            and coalesce(horizons.cut_day < covered.to_day, true)
),

placed as (
    select
        covered.*,
        payees.project_id,
        payees.structure_id,
        payees.creator_id,
        payees.criteria_type,
        payees.period,
        rules.period_or_day(covered.cut_day + 1, payees.period, payees.period_anchor) as first_day,
        rules.period_or_day(covered.cut_day + covered.days + 1, payees.period, payees.period_anchor) - 1
            as last_day
    from covered
    inner join {{ ref('int_payout_payees') }} as payees using (payee_id)
    where payees.criteria_type <> 'recurring'
),

spans as (
    select
        *,
        cast(if(period = 'monthly', first_day - rules.period_start(first_day - 1, period), 7) as integer)
            as last_length,
        greatest(from_day, if(period = 'monthly', first_day - last_length, first_day - 28)) as since
    from placed
    where last_day >= first_day
),

earned as (
    select
        earned.payee_id,
        earned.period_end as day,
        sum(sum(earned.amount_cents)) over until_day as cents,
        sum(coalesce(sum(totals.impressions), 0)) over until_day as impressions
    from {{ ref('payout_earned') }} as earned
    left join {{ ref('int_payout_cpm_totals') }} as totals using (payee_id, period_start)
    where earned.period_end > {{ since }}
    group by earned.payee_id, earned.period_end
    window until_day as (partition by earned.payee_id order by earned.period_end)
),

-- The version created by the cut; the first version applies to anything before it (M4).

made as (
    select
        rules.*,
        if(
            rules.version_number = min(rules.version_number) over (partition by rules.structure_id),
            date '-infinity',
            {{ local_day("versions.created_at", "offsets.utc_offset_seconds") }}
        ) as day
    from {{ ref('int_payout_cpm_rules') }} as rules
    inner join {{ ref('stg_payout_versions') }} as versions using (version_id)
    inner join offsets
        on
            versions.organization_id = offsets.organization_id
            and versions.created_at >= offsets.starts_at
            and versions.created_at < offsets.ends_at
),

ruled as (
    select * from made
    qualify row_number() over (partition by structure_id, day order by version_number desc) = 1
),

seen as (
    select
        creator_id,
        day,
        sum(new_views) over (partition by creator_id order by day) as views
    from {{ ref('creator_daily') }}
    where day > {{ since }}
),

-- Views from before tracking of posts that are older than the payee's days are not paid for (M7), and more of
-- them will not come.

before_tracking as (
    select
        videos.creator_id,
        videos.view_before_tracking as views,
        {{ local_day("videos.view_first_captured_at", "offsets.utc_offset_seconds") }} as day,
        if(videos.posted_at is null, date '-infinity', counted.appeared_on) as posted_on
    from {{ ref('videos') }} as videos
    inner join {{ ref('int_counted_videos') }} as counted using (video_id)
    inner join offsets
        on
            videos.organization_id = offsets.organization_id
            and videos.view_first_captured_at >= offsets.starts_at
            and videos.view_first_captured_at < offsets.ends_at
    where videos.view_before_tracking > 0 and day > {{ since }}
),

unpaid as (
    select
        spans.payee_id,
        sum(before_tracking.views) filter (where before_tracking.day < spans.first_day) as own_views,
        sum(before_tracking.views) filter (where before_tracking.day >= spans.first_day) as so_far_views
    from spans
    inner join before_tracking
        on
            spans.creator_id = before_tracking.creator_id
            and spans.from_day > before_tracking.posted_on
            and before_tracking.day between least(spans.since, spans.first_day) and spans.cut_day
    group by spans.payee_id
),

paid as (
    select
        spans.*,
        coalesce(at_end.cents, 0) as end_cents,
        coalesce(at_first.cents, 0) as first_cents,
        coalesce(at_since.cents, 0) as since_cents,
        coalesce(at_last.cents, 0) as last_cents,
        coalesce(at_first.impressions, 0) - coalesce(at_since.impressions, 0) as paid_views,
        ruled.min_impressions,
        ruled.max_payout_cents,
        ruled.tiers
    from spans
    asof left join ruled
        on spans.structure_id = ruled.structure_id and spans.cut_day >= ruled.day
    asof left join earned as at_end
        on spans.payee_id = at_end.payee_id and spans.last_day >= at_end.day
    asof left join earned as at_first
        on spans.payee_id = at_first.payee_id and spans.first_day > at_first.day
    asof left join earned as at_since
        on spans.payee_id = at_since.payee_id and spans.since > at_since.day
    asof left join earned as at_last
        on spans.payee_id = at_last.payee_id and spans.first_day - spans.last_length > at_last.day
),

known as (
    select
        paid.*,
        cast(paid.last_day - paid.first_day + 1 as integer) as length,
        rules.bounded_cents(paid.end_cents - paid.first_cents) as so_far_cents,
        rules.bounded_cents(paid.first_cents - paid.last_cents) as last_period_cents,
        coalesce(at_cut.views, 0) - coalesce(at_first.views, 0) - coalesce(unpaid.so_far_views, 0)
            as so_far_views,
        greatest(cast(paid.first_day - paid.since as integer), 0) as own_days,
        if(own_days > 0, paid.first_cents - paid.since_cents, 0) as own_cents,
        if(own_days > 0, paid.paid_views, 0) as own_paid_views,
        if(
            own_days > 0,
            coalesce(at_first.views, 0) - coalesce(at_since.views, 0) - coalesce(unpaid.own_views, 0),
            0
        ) as own_views
    from paid
    left join unpaid using (payee_id)
    asof left join seen as at_first
        on paid.creator_id = at_first.creator_id and paid.first_day > at_first.day
    asof left join seen as at_since
        on paid.creator_id = at_since.creator_id and paid.since > at_since.day
    asof left join seen as at_cut
        on paid.creator_id = at_cut.creator_id and paid.cut_day >= at_cut.day
),

-- Payees new to a structure are assumed to earn like its others.

measured as (
    select
        *,
        if(own_days > 0, own_cents, sum(own_cents) over of_structure) as before_cents,
        if(own_days > 0, own_paid_views, sum(own_paid_views) over of_structure) as before_paid_views,
        if(own_days > 0, own_views, sum(own_views) over of_structure) as before_views,
        if(own_days > 0, own_days, sum(own_days) over of_structure) as before_days
    from known
    window of_structure as (partition by structure_id, cut_day, days)
),

ahead as (
    select
        measured.*,
        coalesce(forecasts.views, 0) as views_to_come
    from measured
    left join {{ ref('int_forecasts') }} as forecasts
        on
            measured.creator_id = forecasts.entity_id
            and measured.last_day - measured.cut_day = forecasts.days
            and forecasts.entity = 'creator'
),

-- The same share of views is paid as in the whole periods before, each period by the rule's own tiers,
-- minimum and cap (M8); other amounts stay the same per view. Without views in that time, they stay the same
-- per day.

shared as (
    select
        *,
        case period when 'weekly' then length // 7 when 'daily' then length else 1 end as periods,
        if(
            before_views > 0,
            greatest(so_far_views + views_to_come, 0) / before_views,
            length / greatest(before_days, 1)
        ) as times,
        {{ whole_forecast("before_paid_views * times / periods") }} as payable
    from ahead
),

expected as (
    select
        *,
        case
            when tiers is null then before_cents * times
            when payable < min_impressions then 0
            else periods * least(
                {{ precise_cents(tiered_billionths("payable", "tiers")) }}, max_payout_cents
            )
        end as exact_cents,
        {{ whole_forecast("exact_cents") }} as cents,
        {{ whole_forecast(half_up("last_period_cents * length", "last_length")) }} as baseline_cents
    from shared
),

-- Fees are known, so they are not part of the expected amount. A payee who already has more than expected
-- does not reduce what others are still expected to get.

of_payees as (
    select
        payee_id,
        organization_id,
        project_id,
        cut_day,
        days,
        false as is_fixed,
        before_days = 0 as is_too_new,
        0 as fixed_to_come,
        greatest(cents, so_far_cents) as cents,
        greatest(baseline_cents, so_far_cents) as baseline_cents,
        so_far_cents
    from expected
    union all by name
    select
        payee_id,
        organization_id,
        project_id,
        cut_day,
        days,
        true as is_fixed,
        false as is_too_new,
        to_come_cents as fixed_to_come
    from {{ ref('int_payout_fees_to_come') }}
),

summed as (
    select
        of_payees.organization_id,
        of_payees.project_id,
        members.entity,
        members.entity_id,
        of_payees.cut_day,
        of_payees.days,
        bool_and(of_payees.is_fixed) as is_fixed,
        bool_or(of_payees.is_too_new) as is_too_new,
        rules.bounded_cents(sum(of_payees.fixed_to_come)) as fixed_to_come,
        coalesce(sum(of_payees.cents), 0) as cents,
        coalesce(sum(of_payees.baseline_cents), 0) as baseline_cents,
        coalesce(sum(of_payees.so_far_cents), 0) as so_far
    from of_payees
    inner join {{ ref('int_payee_members') }} as members using (payee_id)
    group by all
),

judged as (
    select
        summed.*,
        if(summed.is_fixed, 1, spread.low_ratio) as low_ratio,
        if(summed.is_fixed, 1, spread.high_ratio) as high_ratio,
        case
            when summed.is_fixed then null
            when summed.is_too_new then 'too_new'
            else {{ forecast_hidden_because("spread") }}
        end as hidden_because
    from summed
    left join {{ ref('int_forecast_spread') }} as spread
        on
            summed.organization_id = spread.organization_id
            and if(summed.entity = 'project', 'project', 'creator') = spread.entity
),

bounded as (
    select
        *,
        {{ payouts_to_come("cents") }} as to_come_cents,
        {{ payouts_to_come("cents", "low_ratio") }} as low_cents,
        {{ payouts_to_come("cents", "high_ratio") }} as high_cents,
        {{ payouts_to_come("baseline_cents") }} as baseline_to_come_cents
    from judged
)

select
    parts.organization_id,
    parts.project_id,
    parts.entity,
    parts.entity_id,
    parts.cut_day + 1 as from_day,
    parts.cut_day + parts.days as day,
    parts.to_come_cents,
    {{ within_whole("low_cents") }} as low_cents,
    {{ within_whole("high_cents") }} as high_cents,
    parts.baseline_to_come_cents as baseline_cents,
    parts.hidden_because
from bounded as parts
left join bounded as wholes on parts.project_id = wholes.entity_id and wholes.hidden_because is null
