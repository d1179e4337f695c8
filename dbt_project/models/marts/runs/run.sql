with

copied as (
    select max(up_to) as up_to
    from {{ source('raw', 'copied_tables') }}
)

select
    run.run_id,
    run.as_of,
    current_timestamp as built_at,
    coalesce(copied.up_to, 0) as decided_up_to
from {{ source('control', 'run') }} as run
cross join copied
