{# By table that runs add to: how a run deletes the rows that it replaces. The executor of the models reads it. -#}
{%- set statements = {} -%}
{%- if execute -%}
    {%- for node in graph.nodes.values() if node.config.materialized == "incremental" -%}
        {%- do statements.update({node.name: delete_replaced(node.relation_name, node.config.meta)}) -%}
    {%- endfor -%}
{%- endif -%}
{{ tojson(statements) }}
