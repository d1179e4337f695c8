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
    signals,
    score_seq
from scored
