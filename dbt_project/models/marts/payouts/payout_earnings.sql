{{ config(materialized="view") }}

{#- Without the database's name, so that a publication can hold the very same view. #}
select * from {{ ref('payout_earned').include(database=false) }}
