{% macro costs_of(creator_id="creator_id") -%}
    {#- Whether a session asks for the costs of this creator: of everybody, unless it says of whom (`set
        variable costs_of = ['...']`, ids). No cost of one depends on another's. -#}
    coalesce(list_contains(cast(getvariable('costs_of') as uuid[]), {{ creator_id }}), true)
{%- endmacro %}

{% macro costs_from(day) -%}
    {#- Whether this day may tell of costs from the day on that a session asks for: any, unless it says so (`set
        variable costs_from = date '...'`). Given the last day of an accrual it tells whether that is spread.
        Two days are spare: days of periods may be of a zone of their own. -#}
    {{ day }} >= coalesce(cast(getvariable('costs_from') as date) - 2, date '-infinity')
{%- endmacro %}
