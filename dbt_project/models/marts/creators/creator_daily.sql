{{ config(
    materialized="incremental", incremental_strategy="from_day", unique_key=["creator_id", "day"],
    meta={"touched": "int_touched_creators"}
) }}

{{ daily_of_members(
    entity="creator_id",
    entities=ref('stg_creators'),
    videos=ref('int_creator_videos'),
    accounts=ref('int_active_accounts'),
    touched=ref('int_touched_creators'),
) }}
