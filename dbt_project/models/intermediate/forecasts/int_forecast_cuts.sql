{{ config(materialized="view") }}

{%- set previous_run = "greatest(" ~ previous_as_of() ~ ", timestamptz '2000-01-01 00:00:00+00')" %}

with

organizations as (
    select * from {{ ref('stg_organizations') }}
),

-- Before the first run there is no such day: any day long ago works.

previous as (
    {{ todays(previous_run) }}
),

present as (
    {{ todays(as_of()) }}
)

select
    organizations.organization_id,
    present.today - 1 as cut_day,
    previous.today - 1 as previous_cut_day
from organizations
inner join present on organizations.analytics_tz = present.zone
inner join previous on organizations.analytics_tz = previous.zone
