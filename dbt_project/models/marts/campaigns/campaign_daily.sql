{{ config(
    materialized="incremental", incremental_strategy="from_day", unique_key=["campaign_id", "day"],
    meta={"touched": "int_touched_campaigns"}
) }}

{{ daily_of_members(
    entity="campaign_id",
    entities=ref('stg_campaigns'),
    videos=ref('int_campaign_videos'),
    accounts=ref('int_campaign_accounts'),
    touched=ref('int_touched_campaigns'),
) }}
