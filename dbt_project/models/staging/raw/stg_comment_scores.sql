with

scored as (
    select * from {{ source('raw', 'comment_scores') }}
)

select
    text_id,
    language,
    sentiment,
    sentiment_score,
    sentiment_model,
    signals
from scored
qualify row_number() over (partition by text_id order by score_seq desc) = 1
