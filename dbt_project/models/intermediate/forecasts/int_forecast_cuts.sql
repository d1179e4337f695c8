{{ config(materialized="view") }}

{%- set previous_run = "greatest(" ~ previous_as_of() ~ ", timestamptz '2000-01-01 00:00:00+00')" %}

with

organizations as (
    select * from {{ ref('stg_organizations') }}
),

offsets as (
    select * from {{ ref('int_utc_offsets') }}
),

-- Before the first run there is none: any day long ago does.

previous as (
    select
        zone,
        {{ local_day(previous_run, "utc_offset_seconds") }} as today
    from offsets
    where {{ previous_run }} >= starts_at and {{ previous_run }} < ends_at
),

present as (
    select
        zone,
        {{ local_day(as_of(), "utc_offset_seconds") }} as today
    from offsets
    where {{ as_of() }} >= starts_at and {{ as_of() }} < ends_at
)

select
    organizations.organization_id,
    present.today - 1 as cut_day,
    previous.today - 1 as previous_cut_day
from organizations
inner join present on organizations.analytics_tz = present.zone
inner join previous on organizations.analytics_tz = previous.zone
