{# How this run's rows enter a mart. dbt calls get_incremental_<strategy>_sql; each deletes, then
   inserts, in the model's one transaction. A full refresh into an existing table replaces all. #}

{% macro get_incremental_same_instant_sql(arg_dict) %}
    {#- Replaces rows of the same key and captured_at. The time bound is a literal, so that only
        the youngest row groups are read. -#}
    {%- set key = config.get("unique_key")[0] -%}
    {%- set new = arg_dict["temp_relation"] -%}
    delete from {{ arg_dict["target_relation"] }} as old
    {%- if not computes_everything() %}
    using {{ new }} as new
    where
        old.{{ key }} = new.{{ key }}
        and old.captured_at = new.captured_at
        and old.captured_at >= {{ least_of(new, "captured_at", "timestamptz") }}
    {%- endif %};
    {{ insert_new(arg_dict) }}
{% endmacro %}


{% macro get_incremental_from_day_sql(arg_dict) %}
    {#- Replaces all days of each touched entity (config meta.touched) from its from_day on. -#}
    {%- set key = config.get("unique_key")[0] -%}
    {%- set touched = ref(config.get("meta")["touched"]) -%}
    delete from {{ arg_dict["target_relation"] }} as old
    {%- if not computes_everything() %}
    using {{ touched }} as touched
    where
        old.{{ key }} = touched.{{ key }}
        and old.day >= touched.from_day
        and old.day >= {{ least_of(touched, "from_day", "date") }}
    {%- endif %};
    {{ insert_new(arg_dict) }}
{% endmacro %}


{% macro insert_new(arg_dict) -%}
    {%- set columns = get_quoted_csv(arg_dict["dest_columns"] | map(attribute="name")) -%}
    insert into {{ arg_dict["target_relation"] }} ({{ columns }})
    select {{ columns }} from {{ arg_dict["temp_relation"] }}
{%- endmacro %}
