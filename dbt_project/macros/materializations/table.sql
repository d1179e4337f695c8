{% materialization table, adapter="duckdb" %}
    {#- A table replaced by one `create or replace`, which readers of the file see completely or not at all.
        dbt's own way (build aside, rename twice, drop) costs ten times as much as most of our tables, which
        hold a few thousand rows. -#}
    {%- set target_relation = this.incorporate(type="table") -%}
    {{ drop_other_type(target_relation) }}
    {% call perform("main") -%}
        create or replace table {{ target_relation }} as (
            {{ sql }}
        )
    {%- endcall %}
    {% do adapter.commit() %}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}
