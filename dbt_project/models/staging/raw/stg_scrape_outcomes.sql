with

observed as (
    select * from {{ source('raw', 'scrape_outcomes') }}
)

select
    account_id,
    video_id,
    job_type,
    outcome,
    finished_at,
    batch_seq
from observed
where {{ known_to_this_run('finished_at') }}
