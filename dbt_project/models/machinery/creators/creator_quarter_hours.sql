{{ config(
    materialized="incremental",
    meta={"key": "creator_id", "replaces": "quarters", "touched": "int_touched_creators"}
) }}

{{ quarter_hours_of_members(
    entity="creator_id",
    entities=ref('stg_creators'),
    videos=ref('int_creator_videos'),
    touched=ref('int_touched_creators'),
) }}
