{# The grain of a model: fails for rows whose key is null (in a column that is not `nullable`) or repeated. A
   growing mart is checked only where the run touched it: in rows whose `since` is not before the first
   `touched_from` in the table `touched`, or whose `entity` has a row in that table. #}

{% test one_row_for_each(model, key, nullable=[], touched=none, since=none, touched_from=none, entity=none) %}
    select {{ key | join(", ") }}
    from {{ "(" ~ scoped(model, ref(touched), entity) ~ ")" if entity else model }}
    {%- if since %}
    where {{ since }} >= {{ least_of(ref(touched), touched_from, "timestamptz" if since.endswith("_at") else "date") }}
    {%- endif %}
    group by {{ key | join(", ") }}
    having
        count(*) > 1
        {%- for column in key if column not in nullable %}
        or {{ column }} is null
        {%- endfor %}
{% endtest %}
