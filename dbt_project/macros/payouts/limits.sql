{% macro limits(conditions) -%}
    {#- The names of the limits that reduced an amount: those in `conditions` whose condition holds (money.md
        M16), in its order, which is the rule's. -#}
    list_filter(
        [
            {%- for name, condition in conditions.items() %}
            if({{ condition }}, '{{ name }}', null){{ "," if not loop.last }}
            {%- endfor %}
        ],
        lambda name: name is not null
    )
{%- endmacro %}
