-- Posts of which views may stand still by the end of a period: not where the last reading of all came before
-- it and showed them.

select *
from posts
where
    first_captured_at < ends_at
    and (last_captured_at >= ends_at or view_captured_at is distinct from last_captured_at)
