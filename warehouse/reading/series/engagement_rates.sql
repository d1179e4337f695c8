-- Engagement in percent of views or followers, of each bucket in its order, from gains and totals as JSON.

with

buckets as (
    select
        unnest(
            from_json(
                cast($given as varchar),
                '[{
                    "position": "INTEGER",
                    "likes": "HUGEINT",
                    "comments": "HUGEINT",
                    "shares": "HUGEINT",
                    "saves": "HUGEINT",
                    "whole": "HUGEINT"
                }]'
            ),
            max_depth := 2
        )
)

select rules.engagement_rate(rules.engagement(likes, comments, shares, saves), whole) as rate
from buckets
order by position
