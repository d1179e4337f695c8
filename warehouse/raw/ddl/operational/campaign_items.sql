-- Members of campaigns, each a creator, a video or a sub-campaign.
create or replace table operational.campaign_items (
    id uuid not null,
    campaign_id uuid not null,
    creator_id uuid,
    video_id uuid,
    child_campaign_id uuid,
    created_at timestamptz not null
);
