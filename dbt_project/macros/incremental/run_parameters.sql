{# What this run computes, as warehouse/control decided it. The values become literals in the
   models' SQL, so that DuckDB skips the row groups that they rule out. #}

{% macro run_parameters() %}
    {#- The row of control.run as a dictionary of strings; empty while no run has begun. -#}
    {%- if not execute -%}{{ return({}) }}{%- endif -%}
    {%- set there = asked_once(
        "select 1 from duckdb_tables() where database_name = '" ~ target.database
        ~ "' and schema_name = 'control' and table_name = 'run'"
    ) -%}
    {%- set rows = asked_once("select columns(*)::varchar from " ~ target.database ~ ".control.run") if there else [] -%}
    {{ return(rows[0] if rows else {}) }}
{% endmacro %}


{% macro require_run() %}
    {#- Refuse to build where no run has begun: every model would take all facts for unknown. -#}
    {%- if execute and not run_parameters() -%}
        {%- do exceptions.raise_compiler_error(
            "No run has begun in this warehouse (control.run has no row), so there is nothing that "
            ~ "the models could compute. `tracker run` begins one and builds them."
        ) -%}
    {%- endif -%}
{% endmacro %}


{% macro asked_once(query) %}
    {#- The rows, as dictionaries, of a query that is asked once an invocation, and kept beside dbt's
        graph, the one thing that all its models share. Models of two threads may both ask and get the same rows;
        dbt's own list of relations must not be asked in their place, because one thread finds it
        half filled by the other. -#}
    {%- set cache_key = invocation_id ~ ": " ~ query -%}
    {%- if cache_key not in graph -%}
        {%- set rows = [] -%}
        {%- for row in run_query(query).rows -%}{%- do rows.append(row.dict()) -%}{%- endfor -%}
        {%- do graph.update({cache_key: rows}) -%}
    {%- endif -%}
    {{ return(graph[cache_key]) }}
{% endmacro %}


{% macro as_of() -%}
    {#- The instant that this run describes, as a literal. -#}
    timestamptz '{{ run_parameters().get("as_of") or "infinity" }}'
{%- endmacro %}


{% macro previous_as_of() -%}
    {#- The as_of of the last published run, as a literal; -infinity in a full refresh. -#}
    timestamptz '{{ run_parameters().get("previous_as_of") or "-infinity" }}'
{%- endmacro %}


{% macro known_to_this_run(instant) -%}
    {#- Facts up to as_of, of the batches that were ingested when the run began. -#}
    {{ instant }} <= {{ as_of() }}
    and batch_seq <= {{ run_parameters().get("to_batch_seq") or 0 }}
{%- endmacro %}


{% macro from_copy() -%}
    {#- The copy of operational.* that the last published run used: what later ones brought is new. -#}
    {{ run_parameters().get("from_copy") or 0 }}
{%- endmacro %}


{% macro from_score_seq() -%}
    {#- The last pass of the comments' scorer that the last published run used: later ones' are new. -#}
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
