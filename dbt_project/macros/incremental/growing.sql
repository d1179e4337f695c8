{# What a run computes, and what it continues from. Only this file and the materialization `incremental`
   distinguish a full refresh from a run that continues the last published one: models have one body for both.
   A full refresh reads all rows and continues from nothing. #}

{% macro computes_everything() %}
    {#- Whether this is a full refresh, by control.run or dbt's own flag. Only for this file. -#}
    {{ return(flags.FULL_REFRESH or run_parameters().get("is_full_refresh") == "true") }}
{% endmacro %}


{% macro follows_unfinished_run() %}
    {#- Whether the previous run began but was never published: what it touched is touched again, because it
        may have left some of its rows behind. {{ this }} is the table of touched entities, which such a run
        leaves unchanged or replaces; control continues no run without it. -#}
    {{ return(run_parameters().get("follows_unfinished") == "true") }}
{% endmacro %}


{% macro scoped(rows, touched, key, at=none, since="from_day", tells=false) -%}
    {#- The rows of touched entities, each from its first touched instant or day (`since`, a column of the
        table `touched`) if `at` names their own; all rows in a full refresh. With `tells` they have
        touched_from, the start of what is touched: -infinity in a full refresh. -#}
    {%- set full = computes_everything() -%}
    select
        entire.*
        {%- if tells %},
        {{ "date '-infinity'" if full else "touched." ~ since }} as touched_from
        {%- endif %}
    from {{ rows }} as entire
    {%- if not full %}
    {{ "inner" if at or tells else "semi" }} join {{ touched }} as touched
        on
            entire.{{ key }} = touched.{{ key }}
            {%- if at %}
            and entire.{{ at }} >= touched.{{ since }}
    where entire.{{ at }} >= {{ least_of(touched, since, "date" if since.endswith("_day") else "timestamptz") }}
            {%- endif %}
    {%- endif %}
{%- endmacro %}


{% macro opening(before) -%}
    {#- Adds the rows of the query `before` to the query above: the state before the first touched day or
        instant, from which sums and marks continue. Nothing in a full refresh. -#}
    {%- if not computes_everything() -%}
    union all by name
    {{ before | trim }}
    {%- endif -%}
{%- endmacro %}


{% macro past(published) -%}
    {#- What the last published run left in a table of schema control; nothing in a full refresh. -#}
    select * from {{ published }}
    {%- if computes_everything() %}
    where false
    {%- endif %}
{%- endmacro %}


{% macro touched_by(reasons, columns="*") -%}
    {#- The rows of all `reasons` that touch entities, plus what an unpublished run since the last published
        one touched. Empty in a full refresh, which does not need it. -#}
    {%- if computes_everything() -%}
    select {{ columns }} from {{ reasons[0] }}
    where false
    {%- else -%}
    {%- for reason in reasons + ([this] if follows_unfinished_run() else []) %}
    {{- "\n    union all\n    " if not loop.first -}}
    select {{ columns }} from {{ reason }}
    {%- endfor %}
    {%- endif %}
{%- endmacro %}


{% macro new_facts(facts, instant) -%}
    {#- Facts that the last published run did not use: later batches, facts that were still in the future, and
        those of the days that a backfill names. In separate scans: DuckDB skips row groups by one column at a
        time, never by an `or` of two. All in a full refresh. -#}
    {%- set new_batches = "batch_seq > " ~ (run_parameters().get("from_batch_seq") or 0) -%}
    select * from {{ facts }}
    {%- if not computes_everything() %}
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
    {#- The smallest value in a column of a table built earlier in this run, as a literal; the largest
        possible if the table is empty or not built yet, the smallest in a full refresh. When SQL is generated
        ahead of the runs, a placeholder stands here, which each run resolves. -#}
    {%- if computes_everything() -%}{{ return(type ~ " '-infinity'") }}{%- endif -%}
    {%- if run_parameters().get("is_to_come") -%}
        {{ return("@least_of " ~ relation ~ ": " ~ column ~ ": " ~ type ~ "@") }}
    {%- endif -%}
    {%- set value = none -%}
    {%- if execute and run_parameters() -%}
        {%- set value = run_query("select min(" ~ column ~ ")::varchar from " ~ relation).rows[0][0] -%}
    {%- endif -%}
    {{ type }} '{{ value or "infinity" }}'
{%- endmacro %}
