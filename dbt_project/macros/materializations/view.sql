{% materialization view, adapter="duckdb" %}
    {#- A view made anew by one `create or replace`; see table.sql. -#}
    {%- set target_relation = this.incorporate(type="view") -%}
    {{ run_hooks(pre_hooks) }}
    {% call statement("main") -%}
        create or replace view {{ target_relation }} as (
            {{ sql }}
        )
    {%- endcall %}
    {{ run_hooks(post_hooks) }}
    {% do adapter.commit() %}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}
