-- Between which instants posts that evidence shows were read: no other months are.

select
    min(first_captured_at) as from_at,
    max(last_captured_at) as to_at
from counts
