{{ config(
    materialized="incremental",
    meta={"key": "creator_id", "replaces": "days", "touched": "int_touched_creators"}
) }}

{%- set days = days_of_videos(["creator_id"], ref('int_creator_videos'), ref('int_touched_creators')) %}

{{ daily_of_members(
    entity="creator_id",
    entities=ref('stg_creators'),
    days="(" ~ days ~ ")",
    accounts=ref('int_active_accounts'),
    touched=ref('int_touched_creators'),
) }}
