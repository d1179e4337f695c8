with

frozen as (
    select * from {{ ref('stg_payout_payment_accruals') }}
    where is_live and kind = 'earning'
),

payees as (
    select * from {{ ref('int_payout_payees') }}
),

uncounted as (
    select distinct
        video_id,
        creator_id
    from {{ ref('int_payout_videos') }}
    where not is_counted and not awaits_posted_at
),

statuses as (
    select * from {{ ref('stg_video_statuses') }}
),

counted_spans as (
    select
        statuses.*,
        coalesce(
            lead(statuses.valid_from) over (partition by statuses.video_id order by statuses.valid_from),
            timestamptz 'infinity'
        ) as valid_until
    from statuses
    semi join uncounted using (video_id)
    qualify statuses.is_counted
)

select
    payees.payee_id,
    frozen.period_start,
    frozen.view_count,
    uncounted.video_id
from frozen
inner join payees using (structure_id, creator_id)
inner join uncounted
    on
        payees.creator_id = uncounted.creator_id
        and (frozen.subject_id is null or frozen.subject_id = uncounted.video_id)
inner join counted_spans
    on
        uncounted.video_id = counted_spans.video_id
        and frozen.frozen_at >= counted_spans.valid_from
        and frozen.frozen_at < counted_spans.valid_until
where payees.criteria_type in ('cpm', 'view_threshold', 'goals')
