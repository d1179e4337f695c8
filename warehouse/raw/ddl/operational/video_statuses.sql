-- Which tracking_status a post had from when; at one instant the later id wins (money.md M3).
create or replace table operational.video_statuses (
    id uuid not null,
    video_id uuid not null,
    tracking_status varchar not null,
    valid_from timestamptz not null
);
