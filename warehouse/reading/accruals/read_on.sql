-- Posts whose views may stand still at a period's end: not if the last reading of all is earlier and has it.

select *
from posts
where
    first_captured_at < ends_at
    and (last_captured_at >= ends_at or view_captured_at is distinct from last_captured_at)
