select
    run_id,
    as_of,
    current_timestamp as built_at
from {{ source('control', 'run') }}
