{% macro perform(name, answers=false) %}
    {#- Execute the statement in the call's block. When SQL is generated ahead of the runs, store it in dbt's
        graph instead, in the order of the node's statements, for each run to execute. `answers` means that
        its rows are the result, as for a test; those of a model's `main` statement are the number of rows it
        wrote, which dbt is told. -#}
    {%- set written = caller() -%}
    {%- if run_parameters().get("is_to_come") -%}
        {%- do graph.setdefault("statements", {}).setdefault(model.unique_id, []).append(written) -%}
        {%- set written = "select 0 as failures, false as should_warn, false as should_error" -%}
    {%- endif -%}
    {% call statement(name, fetch_result=answers or name == "main") %}{{ written }}{% endcall %}
    {%- if name == "main" and not answers %}
        {%- for counted in load_result(name).table.rows if "Count" in counted.keys() %}
            {%- do store_raw_result(name, message="OK", code="", rows_affected=counted["Count"] | int) -%}
        {%- endfor %}
    {%- endif %}
{% endmacro %}
