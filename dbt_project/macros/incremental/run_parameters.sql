{# The parameters of this run, as decided by warehouse/control. The values become literals in the models' SQL,
   so that DuckDB can skip row groups. #}

{% macro run_parameters() %}
    {#- The row of control.run as a dictionary of strings; empty before the first run. -#}
    {%- if not execute -%}{{ return({}) }}{%- endif -%}
    {%- set there = asked_once(
        "select 1 from duckdb_tables() where database_name = '" ~ target.database
        ~ "' and schema_name = 'control' and table_name = 'run'"
    ) -%}
    {%- set rows = asked_once("select columns(*)::varchar from " ~ target.database ~ ".control.run") if there else [] -%}
    {{ return(rows[0] if rows else {}) }}
{% endmacro %}


{% macro require_run() %}
    {#- Fail if no run has begun: every model would treat all facts as unknown. -#}
    {%- if execute and not run_parameters() -%}
        {%- do exceptions.raise_compiler_error(
            "No run has begun in this warehouse (control.run has no row), so there is nothing that "
            ~ "the models could compute. `tracker run` begins one and builds them."
        ) -%}
    {%- endif -%}
{% endmacro %}


{% macro asked_once(query) %}
    {#- The rows of a query as dictionaries. It runs once per invocation, and the result is kept in dbt's
        graph, the only object that all its models share. Models in two threads may both run it and get the
        same rows; dbt's own list of relations cannot be used instead, because one thread may find it half
        filled by another. -#}
    {%- set cache_key = invocation_id ~ ": " ~ query -%}
    {%- if cache_key not in graph -%}
        {%- set rows = [] -%}
        {%- for row in run_query(query).rows -%}{%- do rows.append(row.dict()) -%}{%- endfor -%}
        {%- do graph.update({cache_key: rows}) -%}
    {%- endif -%}
    {{ return(graph[cache_key]) }}
{% endmacro %}


{% macro as_of() -%}
    {#- The business time of this run, as a literal. -#}
    timestamptz '{{ run_parameters().get("as_of") or "infinity" }}'
{%- endmacro %}


{% macro previous_as_of() -%}
    {#- The as_of of the last published run, as a literal; -infinity in a full refresh. -#}
    timestamptz '{{ run_parameters().get("previous_as_of") or "-infinity" }}'
{%- endmacro %}


{% macro known_to_this_run(instant) -%}
    {#- Facts up to as_of, of the batches ingested when the run began, without retracted imports. -#}
    {{ instant }} <= {{ as_of() }}
    and batch_seq <= {{ run_parameters().get("to_batch_seq") or 0 }}
    and batch_seq not in ({{ run_parameters().get("retracted") or 0 }})
{%- endmacro %}


{% macro from_copy() -%}
    {#- The copy of operational.* that the last published run used: later copies are new. -#}
    {{ run_parameters().get("from_copy") or 0 }}
{%- endmacro %}


{% macro from_score_seq() -%}
    {#- The last pass of the comment scorer that the last published run used: later ones are new. -#}
    {{ run_parameters().get("from_score_seq") or 0 }}
{%- endmacro %}


{% macro backfill_from() -%}
    timestamptz '{{ run_parameters().get("backfill_from") or "infinity" }}'
{%- endmacro %}


{% macro backfill_to() -%}
    timestamptz '{{ run_parameters().get("backfill_to") or "-infinity" }}'
{%- endmacro %}


{% macro first_reading_at() -%}
    {#- The earliest reading of all, as a literal. -#}
    timestamptz '{{ run_parameters().get("first_reading_at") or "-infinity" }}'
{%- endmacro %}
