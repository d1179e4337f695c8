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
    {%- set kept = invocation_id ~ ": " ~ query -%}
    {%- if kept not in graph -%}
        {%- set rows = [] -%}
        {%- for row in run_query(query).rows -%}{%- do rows.append(row.dict()) -%}{%- endfor -%}
        {%- do graph.update({kept: rows}) -%}
    {%- endif -%}
    {{ return(graph[kept]) }}
{% endmacro %}


{% macro computes_everything() %}
    {#- Whether this is a full refresh: control says so, or dbt's own flag does. -#}
    {{ return(flags.FULL_REFRESH or run_parameters().get("is_full_refresh") == "true") }}
{% endmacro %}


{% macro follows_unfinished_run() %}
    {#- Whether the run before this one began and was never published: what it touched is touched
        again, because it may have left half of its rows behind. {{ this }} is the table of touched
        entities, which such a run leaves as it was or replaces; control lets no run continue where
        there is none. -#}
    {{ return(run_parameters().get("follows_unfinished") == "true") }}
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


{% macro is_new(instant) -%}
    {#- Facts that the last published run did not use: later batches, and what was then still to
        come; and those of the days that a backfill names. -#}
    (
        batch_seq > {{ run_parameters().get("from_batch_seq") or 0 }}
        or {{ instant }} > {{ previous_as_of() }}
        or ({{ instant }} >= {{ backfill_from() }} and {{ instant }} < {{ backfill_to() }})
    )
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


{% macro new_facts(facts, instant) -%}
    {#- The rows for which is_new() holds, as separate scans: row groups are skipped by one column
        at a time, never by an `or` of two. None in a full refresh, which tells nothing apart. -#}
    {%- if computes_everything() -%}
    select * from {{ facts }}
    where false
    {%- else -%}
    {%- set new_batches = "batch_seq > " ~ (run_parameters().get("from_batch_seq") or 0) -%}
    select * from {{ facts }}
    where {{ new_batches }}
    union all
    select * from {{ facts }}
    where {{ instant }} > {{ previous_as_of() }}
    and not {{ new_batches }}
    {%- if run_parameters().get("backfill_from") %}
    union all
    select * from {{ facts }}
    where {{ instant }} >= {{ backfill_from() }} and {{ instant }} < {{ backfill_to() }}
    and {{ instant }} <= {{ previous_as_of() }}
    and not {{ new_batches }}
    {%- endif %}
    {%- endif %}
{%- endmacro %}


{% macro least_of(relation, column, type) -%}
    {#- The smallest value in a column of a table built earlier in this run, as a literal; the
        largest possible one where the table is empty or nothing was built yet. While SQL is written
        ahead of the runs, the question stands in its place, for a run to ask. -#}
    {%- if run_parameters().get("is_to_come") -%}
        {{ return("@least_of " ~ relation ~ ": " ~ column ~ ": " ~ type ~ "@") }}
    {%- endif -%}
    {%- set value = none -%}
    {%- if execute and run_parameters() -%}
        {%- set value = run_query("select min(" ~ column ~ ")::varchar from " ~ relation).rows[0][0] -%}
    {%- endif -%}
    {{ type }} '{{ value or "infinity" }}'
{%- endmacro %}


{% macro first_reading_at() -%}
    {#- The earliest reading of all, as a literal. -#}
    timestamptz '{{ run_parameters().get("first_reading_at") or "-infinity" }}'
{%- endmacro %}
