-- Whose a post was from when; the first owner also owns earlier readings (money.md M14).
create or replace table operational.video_owners (
    id uuid not null,
    video_id uuid not null,
    account_id uuid,
    creator_id uuid,
    valid_from timestamptz not null
);
