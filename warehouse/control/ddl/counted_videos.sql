-- int_counted_videos of the last published run.
create table if not exists control.counted_videos (
    video_id uuid not null,
    organization_id uuid not null,
    project_id uuid not null,
    creator_id uuid,
    appeared_on date,
    first_day date
);
