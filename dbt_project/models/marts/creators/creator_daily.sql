{{ config(
    materialized="continued",
    meta={"key": "creator_id", "replaces": "days", "touched": "int_touched_creators"}
) }}

{{ daily_of_members(
    entity="creator_id",
    entities=ref('stg_creators'),
    videos=ref('int_creator_videos'),
    accounts=ref('int_active_accounts'),
    touched=ref('int_touched_creators'),
) }}
