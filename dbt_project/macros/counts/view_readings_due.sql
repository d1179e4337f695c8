{# Which readings of a post's views are due: one on each whole local day, from the day after the post was
   added to the day before tracking was turned off. `views_due_from` and `views_due_until` use columns of the
   registry; coverage is the share of due days with a reading that shows views. #}

{% macro views_due_from() -%}
    {#- When the post was added; null if its views are never read: tracking is disabled, or the platform
        counts no views for its kind. -#}
    if(
        coalesce(tracking_disabled, false)
        or (platform = 'instagram' and coalesce(media_type in ('photo', 'carousel'), false)),
        null,
        created_at
    )
{%- endmacro %}


{% macro views_due_until() -%}
    {#- When tracking was turned off; null while it is on. -#}
    least(plan_limit_paused_at, frozen_at, stopped_at)
{%- endmacro %}


{% macro coverage_days() %}
    {#- The number of whole days in the coverage of accounts and campaigns. -#}
    {{ return(7) }}
{% endmacro %}
