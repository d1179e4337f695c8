with

looked as (
    select * from {{ source('raw', 'comment_mentions') }}
)

select
    organization_id,
    text_id,
    signals
from looked
qualify row_number() over (partition by organization_id, text_id order by score_seq desc) = 1
