-- How much of a post's first known count is from before tracking (counting.md): all of it, and nothing where
-- the post was made after its tracking began. Null while the count is unknown. How old a post without a time
-- is, nobody knows: its count is from before.

create or replace macro rules.before_tracking(first_count, posted_at, tracked_from) as (
    if(first_count is not null and posted_at > tracked_from, 0, first_count)
);
