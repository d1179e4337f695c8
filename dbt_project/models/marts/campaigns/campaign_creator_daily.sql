{{ config(
    materialized="incremental",
    meta={"key": "campaign_id", "replaces": "days", "touched": "int_touched_campaigns"}
) }}

with

days as (
    {{ days_of_videos(
        ["campaign_id", "creator_id"], ref('int_campaign_videos'), ref('int_touched_campaigns')
    ) }}
),

campaigns as (
    select * from {{ ref('stg_campaigns') }}
)

select
    campaigns.organization_id,
    campaigns.project_id,
    days.*
from days
inner join campaigns using (campaign_id)
order by days.day
