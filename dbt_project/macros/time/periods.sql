{# Calendar periods of a zone (money.md M2): days, weeks, months. A period is named by its first day. Weeks
   start on Monday, or on the ISO weekday `anchor`. #}

{% macro next_period_start(start, period) -%}
    case {{ period }}
        when 'daily' then {{ start }} + 1
        when 'weekly' then {{ start }} + 7
        when 'monthly' then cast({{ start }} + interval 1 month as date)
    end
{%- endmacro %}


{% macro period_interval(period) -%}
    case {{ period }}
        when 'daily' then interval 1 day
        when 'weekly' then interval 7 days
        when 'monthly' then interval 1 month
    end
{%- endmacro %}
