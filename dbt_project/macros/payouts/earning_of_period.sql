{% macro earning_of_period(amount_cents) -%}
    {#- The columns of an earning for a period, up to its evidence. -#}
    payee_id,
    organization_id,
    project_id,
    structure_id,
    version_id,
    version_number,
    creator_id,
    criteria_type,
    period_start,
    period_end,
    ends_at,
    cast(null as uuid) as subject_id,
    cast(null as bigint) as view_count,
    'USD' as currency,
    {{ amount_cents }} as amount_cents,
    precise_amount,
    limits[1] as limited_by,
    timezone
{%- endmacro %}
