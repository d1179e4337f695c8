{% materialization incremental, adapter="duckdb" %}
    {#- A table that runs add to: the rows that a run replaces are deleted and its own inserted, in one
        transaction. A full refresh recreates the table. -#}
    {%- set target_relation = this.incorporate(type="table") -%}
    {%- if flags.FULL_REFRESH -%}
        {%- set there = load_cached_relation(target_relation) -%}
        {%- if there is not none and there.type != "table" -%}{%- do adapter.drop_relation(there) -%}{%- endif -%}
        {% call statement("main") -%}
            create or replace table {{ target_relation }} as (
                {{ sql }}
            )
        {%- endcall %}
    {% else %}
        {% call statement("compute") -%}
            create temporary table new_rows as (
                {{ sql }}
            )
        {%- endcall %}
        {% call statement("replace") -%}
            {{ delete_replaced(target_relation, config.require("meta")) }}
        {%- endcall %}
        {% call statement("main") -%}
            insert into {{ target_relation }} by name from new_rows
        {%- endcall %}
        {% call statement("forget") -%}
            drop table new_rows
        {%- endcall %}
    {% endif %}
    {% do adapter.commit() %}
    {{ return({"relations": [target_relation]}) }}
{% endmaterialization %}


{% macro delete_replaced(target, meta) -%}
    {#- Delete the rows of an incremental table that the table `new_rows` replaces. `replaces` (config meta)
        selects them:
          instants  those with the new rows' key and captured_at
          days      all days of each touched entity (config meta `touched`) from its from_day on
          periods   likewise all rows whose period_end is on or after that day
          quarters  likewise all quarters of an hour, from the UTC midnight before that day on
          accruals  those of each touched accrual, and its adjustments
          entities  all of each touched entity
          rows      those with the new rows' key
        analyses/replaced_rows.sql has this statement of each table. -#}
    {%- set touched = "intermediate." ~ meta.touched -%}
    {%- set replaced = "new_rows" if meta.replaces in ("instants", "rows") else touched -%}
    {%- set day = "period_end" if meta.replaces == "periods" else "day" -%}
    {%- set first_day = least_of(touched, "from_day", "date") -%}
    delete from {{ target }} as old
    using {{ replaced }} as replaced
    where
        {%- if meta.replaces == "accruals" %}
        coalesce(old.adjusts_accrual_id, old.accrual_id) = replaced.accrual_id
        {%- else %}
        old.{{ meta.key }} = replaced.{{ meta.key }}
        {%- endif %}
        {%- if meta.replaces == "instants" %}
        and old.captured_at = replaced.captured_at
        and old.captured_at >= {{ least_of(replaced, "captured_at", "timestamptz") }}
        {%- elif meta.replaces == "quarters" %}
        and old.quarter_at >= {{ quarters_from("replaced.from_day") }}
        and old.quarter_at >= {{ quarters_from(first_day) }}
        {%- elif meta.replaces in ("days", "periods") %}
        and old.{{ day }} >= replaced.from_day
        and old.{{ day }} >= {{ first_day }}
        {%- endif %}
{%- endmacro %}
