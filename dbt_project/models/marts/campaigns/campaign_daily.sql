{{ config(
    materialized="incremental",
    meta={"key": "campaign_id", "replaces": "days", "touched": "int_touched_campaigns"}
) }}

{{ daily_of_members(
    entity="campaign_id",
    entities=ref('stg_campaigns'),
    days=ref('campaign_creator_daily'),
    accounts=ref('int_campaign_accounts'),
    touched=ref('int_touched_campaigns'),
) }}
