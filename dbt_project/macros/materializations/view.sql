{% materialization view, adapter="duckdb" %}
    {#- A view made anew by one `create or replace` (see table.sql), or left alone where it stands
        as the same SQL made it: a run that continues the last one finds most of its views so. What
        they select from has the columns that it had, or the run would compute everything. -#}
    {%- set target_relation = this.incorporate(type="view") -%}
    {%- set digest = local_md5(sql) -%}
    {{ run_hooks(pre_hooks) }}
    {% if computes_everything() or digests_of_views().get(this.schema ~ "." ~ this.identifier) != digest %}
        {{ drop_other_type(target_relation) }}
        {% call statement("main") -%}
            create or replace view {{ target_relation }} as (
                {{ sql }}
            );
            comment on view {{ target_relation }} is '{{ digest }}'
        {%- endcall %}
        {% do adapter.commit() %}
    {% else %}
        {% call noop_statement("main", "as it was") -%}
            {{ sql }}
        {%- endcall %}
    {% endif %}
    {{ run_hooks(post_hooks) }}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}


{% macro digests_of_views() %}
    {#- By schema and name, the comment of each view as the invocation found it: the MD5 of the SQL
        that made it. -#}
    {%- set found = {} -%}
    {%- for row in asked_once(
        "select schema_name || '.' || view_name as view, comment from duckdb_views() where database_name = '"
        ~ target.database ~ "' and comment is not null"
    ) -%}
        {%- do found.update({row.view: row.comment}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
