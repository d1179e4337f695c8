{% materialization view, adapter="duckdb" %}
    {#- A view replaced by one `create or replace` (see table.sql). -#}
    {%- set target_relation = this.incorporate(type="view") -%}
    {{ drop_other_type(target_relation) }}
    {% call perform("main") -%}
        create or replace view {{ target_relation }} as (
            {{ sql }}
        )
    {%- endcall %}
    {% do adapter.commit() %}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}
