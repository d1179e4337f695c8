{{ config(
    materialized="incremental",
    meta={"key": "video_id", "replaces": "entities", "touched": "int_touched_videos"}
) }}

{%- set before %}
    select old.*
    from {{ this }} as old
    inner join {{ ref('int_touched_videos') }} as touched
        on
            old.video_id = touched.video_id
            and old.captured_at < coalesce(touched.from_at, timestamptz 'infinity')
{%- endset %}

with

computed as (
    {{ scoped(
        ref('int_views_by_meaning'), ref('int_touched_videos'), "video_id", at="captured_at", since="from_at"
    ) }}
),

baselines as (
    select
        video_id,
        captured_at,
        if(is_organic, 'organic', 'organic_and_paid') as meaning,
        views_read,
        view_count
    from computed
    where is_baseline and not is_past
    {{ opening(before) }}
)

select
    video_id,
    captured_at,
    meaning,
    views_read,
    view_count
from baselines
order by captured_at
