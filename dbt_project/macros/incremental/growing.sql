{# What a run computes, and what it continues from. Only this file and the materialization `incremental`
   distinguish a full refresh from a run that continues the last published one: models have one body for both.
   A full refresh reads all rows and continues from nothing. #}

{% macro computes_everything() %}
    {#- Whether this is a full refresh. Only for this file. -#}
    {{ return(flags.FULL_REFRESH) }}
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
        one touched: {{ this }} is the table of touched entities, which such a run leaves unchanged or replaces;
        control continues no run without it (a worked example has none). Empty in a full refresh, which does not
        need it. -#}
    {%- if computes_everything() -%}
    select {{ columns }} from {{ reasons[0] }}
    where false
    {%- else -%}
    {%- for reason in reasons %}
    {{- "\n    union all\n    " if not loop.first -}}
    select {{ columns }} from {{ reason }}
    {%- endfor %}
    {%- if this %}
    union all
    select {{ columns }} from {{ this }}
    where {{ follows_unfinished_run() }}
    {%- endif %}
    {%- endif %}
{%- endmacro %}


{% macro new_facts(facts, instant) -%}
    {#- Facts that the last published run did not use: later batches, facts that were still in the future, and
        those of the days that a backfill names. In separate scans: DuckDB skips row groups by one column at a
        time, never by an `or` of two. All in a full refresh. -#}
    {%- set new_batches = "batch_seq > " ~ from_batch_seq() -%}
    select * from {{ facts }}
    {%- if not computes_everything() %}
    where {{ new_batches }}
    union all
    select * from {{ facts }}
    where {{ instant }} > {{ previous_as_of() }}
    and not {{ new_batches }}
    union all
    select * from {{ facts }}
    where {{ instant }} >= {{ backfill_from() }} and {{ instant }} < {{ backfill_to() }}
    and {{ instant }} <= {{ previous_as_of() }}
    and not {{ new_batches }}
    {%- endif %}
{%- endmacro %}


{% macro least_of(relation, column, type) -%}
    {#- The smallest value in a column of a table built earlier in this run; the largest possible if the table is
        empty, the smallest in a full refresh. DuckDB skips row groups by it. -#}
    {%- if computes_everything() -%}
    {{ type }} '-infinity'
    {%- else -%}
    coalesce((select min({{ column }}) from {{ relation }}), {{ type }} 'infinity')
    {%- endif -%}
{%- endmacro %}
