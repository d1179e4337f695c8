{% materialization test, adapter="duckdb" %}
    {#- One query that counts failures. Its rows are not stored. -#}
    {% call perform("main", answers=true) -%}
        {{ get_test_sql(
            sql, config.get("fail_calc"), config.get("warn_if"), config.get("error_if"), config.get("limit")
        ) }}
    {%- endcall %}
    {{ return({"relations": []}) }}
{% endmaterialization %}
