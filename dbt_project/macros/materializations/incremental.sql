{% materialization incremental, adapter="duckdb" %}
    {#- A table that runs add to: the rows that a run replaces are deleted and its own inserted, in one
        transaction. A full refresh recreates the table. `replaces` (config meta) selects the rows to delete:
          instants  those with the new rows' key and captured_at
          days      all days of each touched entity (config meta `touched`) from its from_day on
          periods   likewise all rows whose period_end is on or after that day
          quarters  likewise all quarters of an hour, from the UTC midnight before that day on
          accruals  those of each touched accrual, and its adjustments
          entities  all of each touched entity
          rows      those with the new rows' key
        The time bounds are literals, so that only the newest row groups are read. -#}
    {%- set target_relation = this.incorporate(type="table") -%}
    {%- set new = make_temp_relation(target_relation) -%}
    {%- set key = config.require("meta").key -%}
    {% if computes_everything() %}
        {{ drop_other_type(target_relation) }}
        {% call perform("main") -%}
            create or replace table {{ target_relation }} as (
                {{ sql }}
            )
        {%- endcall %}
    {% else %}
        {% call perform("compute") -%}
            create temporary table {{ new }} as (
                {{ sql }}
            )
        {%- endcall %}
        {% call perform("replace") -%}
            {%- if config.require("meta").replaces == "instants" %}
                {{ delete_same_instants(target_relation, new, key) }}
            {%- elif config.require("meta").replaces == "quarters" %}
                {{ delete_quarters(target_relation, ref(config.require("meta").touched), key) }}
            {%- elif config.require("meta").replaces == "rows" %}
                {{ delete_entities(target_relation, new, key) }}
            {%- elif config.require("meta").replaces == "entities" %}
                {{ delete_entities(target_relation, ref(config.require("meta").touched), key) }}
            {%- elif config.require("meta").replaces == "accruals" %}
                {{ delete_accruals(target_relation, ref(config.require("meta").touched)) }}
            {%- elif config.require("meta").replaces == "periods" %}
                {{ delete_days(target_relation, ref(config.require("meta").touched), key, "period_end") }}
            {%- else %}
                {{ delete_days(target_relation, ref(config.require("meta").touched), key) }}
            {%- endif %}
        {%- endcall %}
        {% call perform("main") -%}
            insert into {{ target_relation }} by name from {{ new }}
        {%- endcall %}
        {% call perform("forget") -%}
            drop table {{ new }}
        {%- endcall %}
    {% endif %}
    {% do adapter.commit() %}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}


{% macro delete_same_instants(target_relation, new, key) -%}
    delete from {{ target_relation }} as old
    using {{ new }} as new
    where
        old.{{ key }} = new.{{ key }}
        and old.captured_at = new.captured_at
        and old.captured_at >= {{ least_of(new, "captured_at", "timestamptz") }}
{%- endmacro %}


{% macro delete_days(target_relation, touched, key, day="day") -%}
    delete from {{ target_relation }} as old
    using {{ touched }} as touched
    where
        old.{{ key }} = touched.{{ key }}
        and old.{{ day }} >= touched.from_day
        and old.{{ day }} >= {{ least_of(touched, "from_day", "date") }}
{%- endmacro %}


{% macro delete_quarters(target_relation, touched, key) -%}
    delete from {{ target_relation }} as old
    using {{ touched }} as touched
    where
        old.{{ key }} = touched.{{ key }}
        and old.quarter_at >= {{ quarters_from("touched.from_day") }}
        and old.quarter_at >= {{ quarters_from(least_of(touched, "from_day", "date")) }}
{%- endmacro %}


{% macro delete_entities(target_relation, replaced, key) -%}
    delete from {{ target_relation }} as old
    using {{ replaced }} as replaced
    where old.{{ key }} = replaced.{{ key }}
{%- endmacro %}


{% macro delete_accruals(target_relation, touched) -%}
    delete from {{ target_relation }} as old
    using {{ touched }} as touched
    where coalesce(old.adjusts_accrual_id, old.accrual_id) = touched.accrual_id
{%- endmacro %}
