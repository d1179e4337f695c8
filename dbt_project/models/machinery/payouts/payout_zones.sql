select
    zone as timezone,
    {{ local_day(as_of(), "utc_offset_seconds") }} as today
from {{ ref('int_utc_offsets') }}
where {{ as_of() }} >= starts_at and {{ as_of() }} < ends_at
