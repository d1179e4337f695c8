{{ config(materialized="view") }}

{#- Nothing reads it, for metrics fill in no days; dbt asks for one where there are metrics. -#}

select cast(unnest(generate_series(date '2015-01-01', date '2049-12-31', interval 1 day)) as date) as day
