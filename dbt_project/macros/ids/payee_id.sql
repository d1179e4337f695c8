{% macro payee_id(paid) -%}
    {#- Who is paid by a structure: the two ids of `paid`, a table that has them, as one. -#}
    cast(md5(concat({{ paid }}.structure_id, '/', {{ paid }}.creator_id)) as uuid)
{%- endmacro %}
