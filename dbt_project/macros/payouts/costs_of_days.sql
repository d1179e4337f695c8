{% macro costs_of(creator_id="creator_id") -%}
    {#- Whether a session requests the costs of this creator: all, unless it names some (`set variable
        costs_of = ['...']`, ids). The costs of one creator do not depend on another's. A subquery is a join;
        list_contains would compare each row with each id, up to 1,000. -#}
    (
        getvariable('costs_of') is null
        or {{ creator_id }} in (select unnest(cast(getvariable('costs_of') as uuid[])))
    )
{%- endmacro %}

{% macro costs_from(day) -%}
    {#- Whether this day can affect costs from the day that a session requests: any day, unless it sets one
        (`set variable costs_from = date '...'`). Given the last day of an accrual, tells whether that is
        spread. Two extra days are included, as periods may have days of their own zone. -#}
    {{ day }} >= coalesce(cast(getvariable('costs_from') as date) - 2, date '-infinity')
{%- endmacro %}
