-- The readings of posts of `counts` whose views have another meaning than those before (counting.md).

select
    cast(baselines.video_id as varchar) as video_id,
    strftime(timezone('UTC', baselines.captured_at), '%Y-%m-%dT%H:%M:%S.%fZ') as captured_at,
    baselines.meaning
from marts.view_baselines as baselines
semi join counts using (video_id)
order by baselines.captured_at
