{# Which readings of a post's views are due: one on each whole local day, from the day after the post
   was added to the day before tracking was turned off. `views_due_from` and `views_due_until` are of
   columns of the registry; coverage is the share of due days that have a reading which shows views. #}

{% macro views_due_from() -%}
    {#- When the post was added; null where its views are not read at all: tracking is disabled, or the
        platform counts no views of its kind. -#}
    if(
        coalesce(tracking_disabled, false)
        or (platform = 'instagram' and coalesce(media_type in ('photo', 'carousel'), false)),
        null,
        created_at
    )
{%- endmacro %}


{% macro views_due_until() -%}
    {#- Since when tracking is off; null where it is on. -#}
    least(plan_limit_paused_at, frozen_at, stopped_at)
{%- endmacro %}


{% macro coverage_days() %}
    {#- How many whole days the coverage of accounts and campaigns is of. -#}
    {{ return(7) }}
{% endmacro %}
