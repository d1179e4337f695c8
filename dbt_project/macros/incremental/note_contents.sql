{% macro note_contents() %}
    {#- Records for the next run what this build's nodes consist of and contain, as their runners stored it in
        dbt's graph (orchestration/building/contents.py); nothing if dbt generated the SQL itself, or if no
        node was built. -#}
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
