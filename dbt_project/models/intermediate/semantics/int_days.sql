{{ config(materialized="view") }}

{#- Not read by anything, as metrics do not fill gaps; dbt requires a time spine for metrics. -#}

select cast(unnest(generate_series(date '2015-01-01', date '2049-12-31', interval 1 day)) as date) as day
