-- int_campaign_videos of the last published run.
create table if not exists control.campaign_videos (
    campaign_id uuid not null,
    video_id uuid not null,
    creator_id uuid,
    appeared_on date,
    first_day date
);
