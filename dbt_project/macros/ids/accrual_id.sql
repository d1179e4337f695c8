{% macro accrual_id(earned) -%}
    {#- The id of an earned row (money.md M16), computed from what it pays: a video's threshold, a conversion,
        or a creator's period. -#}
    rules.uuid5(
        uuid '5b0f6c1e-3d0a-5a52-9a0e-6f1f0c8f3b77',
        case
            when {{ earned }}.view_count is not null
                then concat_ws('/', {{ earned }}.structure_id, {{ earned }}.subject_id, {{ earned }}.view_count)
            when {{ earned }}.subject_id is not null
                then concat_ws('/', {{ earned }}.structure_id, {{ earned }}.subject_id)
            else concat_ws('/', {{ earned }}.structure_id, {{ earned }}.creator_id, {{ earned }}.period_start)
        end
    )
{%- endmacro %}
