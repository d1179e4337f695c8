{# What this run computes, as warehouse/control decided it. The values become literals in the
   models' SQL, so that DuckDB skips the row groups that they rule out. #}

{% macro run_parameters() %}
    {#- The row of control.run as a dictionary; empty while no run has begun (docs, lint). -#}
    {%- if not execute -%}{{ return({}) }}{%- endif -%}
    {%- set has_begun = run_query(
        "select 1 from duckdb_tables() where schema_name = 'control' and table_name = 'run'"
    ) -%}
    {%- if has_begun | length == 0 -%}{{ return({}) }}{%- endif -%}
    {%- set row = run_query("select columns(*)::varchar from control.run").rows -%}
    {{ return(row[0].dict() if row | length else {}) }}
{% endmacro %}


{% macro run_instant(name, default) -%}
    {#- A timestamptz literal of a parameter, or of `default` while no run has begun. -#}
    timestamptz '{{ run_parameters().get(name) or default }}'
{%- endmacro %}


{% macro known_to_this_run(instant) -%}
    {#- Readings taken up to as_of, of the batches ingested when the run began. -#}
    {{ instant }} <= {{ run_instant('as_of', 'infinity') }}
    and batch_seq <= {{ run_parameters().get('to_batch_seq') or '9223372036854775807' }}
{%- endmacro %}
