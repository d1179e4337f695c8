{{ config(
    materialized="incremental",
    meta={"key": "campaign_id", "replaces": "quarters", "touched": "int_touched_campaigns"}
) }}

{{ quarter_hours_of_members(
    entity="campaign_id",
    entities=ref('stg_campaigns'),
    videos=ref('int_campaign_videos'),
    touched=ref('int_touched_campaigns'),
) }}
