{% macro changed_commented_videos() -%}
    {#- Posts with comments whose decisions changed since the last published run, as they were and as they
        are. -#}
    (
        select * from {{ ref('int_commented_videos') }}
        except
        select * from {{ source('control', 'commented_videos') }}
    )
    union all
    (
        select * from {{ source('control', 'commented_videos') }}
        except
        select * from {{ ref('int_commented_videos') }}
    )
{%- endmacro %}
