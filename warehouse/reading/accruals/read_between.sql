-- Between which instants readings tell whether views of `read_on` stand still: no other months are read.

select
    min(first_captured_at) as from_at,
    max(ends_at) as until_at
from read_on
