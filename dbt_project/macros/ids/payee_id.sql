{% macro payee_id(paid) -%}
    {#- The id of a structure's payee: the two ids in the table `paid`, combined. -#}
    cast(md5(concat({{ paid }}.structure_id, '/', {{ paid }}.creator_id)) as uuid)
{%- endmacro %}
