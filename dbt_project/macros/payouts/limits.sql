{% macro limits(conditions) -%}
    {#- The names of what cut an amount, of those that `conditions` maps to a condition that holds
        (money.md M16); in its order, which is the rule's. -#}
    list_filter(
        [
            {%- for name, condition in conditions.items() %}
            if({{ condition }}, '{{ name }}', null){{ "," if not loop.last }}
            {%- endfor %}
        ],
        lambda name: name is not null
    )
{%- endmacro %}
