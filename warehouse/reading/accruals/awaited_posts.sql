-- Posts left out of accruals until their true posting time is known.

select
    accrual_id,
    cast(video_id as varchar) as video_id,
    posted_at_awaited_until
from posts
where
    first_captured_at < ends_at
    and posted_at_awaited_until > (select as_of from marts.publication)
order by posted_at_awaited_until, video_id
