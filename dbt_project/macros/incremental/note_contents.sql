{% macro note_contents() %}
    {#- Note for the next run what the nodes of this build are made of and hold, as their runners kept
        it beside dbt's graph (orchestration/building/contents.py); nothing where dbt made the SQL itself,
        or where no node was made. -#}
    {%- if execute and graph.get("contents") and graph["contents"].noted -%}
    create or replace table {{ target.database }}.control.contents as
    select
        run.run_id,
        noted.*
    from {{ target.database }}.control.run
    cross join (
        values
        {%- for node, content in graph["contents"].noted.items() %}
        ('{{ node }}', '{{ content.made_of }}', '{{ content.holds }}') {{- "," if not loop.last }}
        {%- endfor %}
    ) as noted (node, made_of, holds)
    {%- endif -%}
{% endmacro %}
