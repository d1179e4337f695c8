{{ config(materialized="view") }}

{#- Names its table without the database, so that a publication can use its text unchanged. #}

with

earned as (
    select * from {{ ref('payout_earned').include(database=false) }}
)

select
    {%- for column in earned_columns() %}
        earned.{{ column }},
    {%- endfor %}
    earned.payee_id,
    earned.ends_at,
    {{ earned_evidence("earned") }} as evidence
from earned
