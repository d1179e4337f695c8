with

mentions as (
    select * from {{ source('raw', 'comment_mentions') }}
)

select
    organization_id,
    text_id,
    signals,
    score_seq
from mentions
