{% macro list_by(by, value) -%}
    {#- The values of a group as a list ordered by `by`, then by the values themselves. Sorted as a whole list:
        an aggregate with `order by` sorts each group separately, which takes three times as long for many
        small groups. A list of structs that begin with the order only needs `list_sort(list(...))`. -#}
    list_transform(list_sort(list({'by': {{ by }}, 'value': {{ value }}})), lambda pair: struct_extract(pair, 'value'))
{%- endmacro %}
