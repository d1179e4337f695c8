-- No decision or comment is missed when a run skips models that nothing touched: marts that show copied rows
-- have the current ones, and each comment that arrived since the last published run is there, in this or a
-- later version, unless a complete crawl found it gone. Run every time. Batches arrive in any order: the
-- newest may hold an older sighting.
{% set copies = {
    "organizations": ["organization_id", "analytics_tz"],
    "accounts": ["account_id", "creator_id", "handle", "is_active", "is_deactivated"],
    "payout_payments": ["payment_id", "creator_id", "amount_cents", "status"],
} -%}

with

run as (
    select * from {{ source('control', 'run') }}
),

latest_comments as (
    select
        observed.video_id,
        observed.platform_comment_id,
        max(observed.captured_at) as captured_at
    from {{ source('raw', 'comments') }} as observed
    inner join run
        on
            observed.batch_seq > run.from_batch_seq
            and observed.batch_seq <= run.to_batch_seq
            and observed.captured_at <= run.as_of
    semi join {{ ref('videos') }} using (video_id)
    group by observed.video_id, observed.platform_comment_id
),

last_crawls as (
    select
        video_id,
        max(started_at) as started_at
    from {{ ref('stg_comment_crawls') }}
    where is_complete
    group by video_id
)

{% for mart, columns in copies.items() -%}
select
    '{{ mart }}' as mart,
    {{ columns[0] }} as id
from (
    select {{ columns | join(", ") }} from {{ ref("stg_" ~ mart) }}
    except
    select {{ columns | join(", ") }} from {{ ref(mart) }}
)
union all
{% endfor -%}
select
    'comments' as mart,
    latest_comments.video_id as id
from latest_comments
left join last_crawls using (video_id)
left join {{ ref('comments') }} as published using (video_id, platform_comment_id)
where
    (published.captured_at is null or published.captured_at < latest_comments.captured_at)
    and (last_crawls.started_at is null or last_crawls.started_at <= latest_comments.captured_at)
