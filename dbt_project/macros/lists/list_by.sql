{% macro list_by(by, value) -%}
    {#- The values of a group as a list in the order of `by`, and of the values themselves where that is
        the same. Sorted when it is whole: an aggregate with `order by` sorts pair group by itself,
        which for many small groups is three times the work. A list whose structs begin with what
        orders them needs no more than `list_sort(list(...))`. -#}
    list_transform(list_sort(list({'by': {{ by }}, 'value': {{ value }}})), lambda pair: struct_extract(pair, 'value'))
{%- endmacro %}
