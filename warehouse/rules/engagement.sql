-- Likes, comments, shares and saves together: what is known of them. Null where none is.

create or replace macro rules.engagement(likes, comments, shares, saves) as (
    if(
        coalesce(likes, comments, shares, saves) is null,
        null,
        coalesce(likes, 0) + coalesce(comments, 0) + coalesce(shares, 0) + coalesce(saves, 0)
    )
);

-- Engagement in percent of views or followers. Null where either is unknown, and of nothing; never -0.

create or replace macro rules.engagement_rate(engagement, whole) as (
    100 * engagement / nullif(whole, 0) + 0.0
);
