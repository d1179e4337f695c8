with

published as (
    {{ past(source('control', 'video_view_meanings')) }}
),

latest as (
    select
        video_id,
        is_organic,
        captured_at,
        view_exact,
        views_read,
        is_baseline
    from {{ ref('int_views_by_meaning') }}
    qualify row_number() over (partition by video_id, is_organic order by captured_at desc) = 1
)

select
    video_id,
    is_organic,
    captured_at,
    view_exact,
    views_read,
    is_baseline
from latest
union all by name
select
    published.video_id,
    published.is_organic,
    published.captured_at,
    published.view_exact,
    published.views_read,
    published.is_baseline
from published
anti join latest using (video_id)
