{# The parameters of this run, as decided by warehouse/control. Each is a DuckDB macro without arguments in schema
   `control`, which begin_run creates beside the row of control.run: DuckDB replaces its call by the value before
   it plans a statement, so that it skips row groups. These macros exist to be overridden in worked examples. #}

{% macro require_run() %}
    {#- Fail a build if no run has begun, or if it has and computes everything without `--full-refresh`. -#}
    {%- if execute and flags.WHICH in ("build", "run") -%}
        {%- set begun = "select 1 from duckdb_functions() where schema_name = 'control' and function_name = 'as_of'" -%}
        {%- if not run_query(begun).rows -%}
            {%- do exceptions.raise_compiler_error(
                "No run has begun in this warehouse (control.run has no row), so there is nothing that "
                ~ "the models could compute. `tracker run` begins one and builds them."
            ) -%}
        {%- elif run_query("select is_full_refresh from control.run").rows[0][0] and not flags.FULL_REFRESH -%}
            {%- do exceptions.raise_compiler_error("This run computes everything: add --full-refresh.") -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}


{% macro as_of() -%}
    {#- The business time of this run. -#}
    control.as_of()
{%- endmacro %}


{% macro previous_as_of() -%}
    {#- The as_of of the last published run; -infinity in a full refresh. -#}
    control.previous_as_of()
{%- endmacro %}


{% macro known_to_this_run(instant) -%}
    {#- Facts up to as_of, of the batches ingested when the run began, without retracted imports. DuckDB 1.5
        compares each row with each item of a list, but looks it up in a subquery. -#}
    {{ instant }} <= {{ as_of() }}
    and batch_seq <= control.to_batch_seq()
    and batch_seq not in (select unnest(control.retracted()))
{%- endmacro %}


{% macro from_batch_seq() -%}
    {#- The last batch that the last published run used: later ones are new. -#}
    control.from_batch_seq()
{%- endmacro %}


{% macro from_copy() -%}
    {#- The copy of operational.* that the last published run used: later copies are new. -#}
    control.from_copy()
{%- endmacro %}


{% macro from_score_seq() -%}
    {#- The last pass of the comment scorer that the last published run used: later ones are new. -#}
    control.from_score_seq()
{%- endmacro %}


{% macro backfill_from() -%}
    {#- The begin of the days to compute again; infinity if there are none. -#}
    control.backfill_from()
{%- endmacro %}


{% macro backfill_to() -%}
    {#- The end of the days to compute again; -infinity if there are none. -#}
    control.backfill_to()
{%- endmacro %}


{% macro follows_unfinished_run() -%}
    {#- Whether the previous run began but was never published: what it touched is touched again, because it
        may have left some of its rows behind. -#}
    control.follows_unfinished()
{%- endmacro %}


{% macro first_reading_at() -%}
    {#- The earliest reading of all. -#}
    control.first_reading_at()
{%- endmacro %}
