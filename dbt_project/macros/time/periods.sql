{# Calendar periods of an organization (money.md M2): days, weeks from Monday, months. A period is
   named by its first day. #}

{% macro period_start(day, period) -%}
    case {{ period }}
        when 'daily' then {{ day }}
        when 'weekly' then cast(date_trunc('week', {{ day }}) as date)
        when 'monthly' then cast(date_trunc('month', {{ day }}) as date)
    end
{%- endmacro %}


{% macro next_period_start(start, period) -%}
    case {{ period }}
        when 'daily' then {{ start }} + 1
        when 'weekly' then {{ start }} + 7
        when 'monthly' then cast({{ start }} + interval 1 month as date)
    end
{%- endmacro %}
