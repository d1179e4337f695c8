{% macro opening_high_water_mark(days, runs) -%}
    {#- The mark at which a day of a run begins (money.md M7), for a row of payout_video_days: the largest
        count read before. Without one, 0 for a video posted in the run, else its first count; if the gap
        before the run has no reading, the first count after it, if larger. -#}
    case
        when {{ days }}.high_water_mark_before is null
            then if({{ days }}.posted_on >= {{ runs }}.from_day, 0, {{ days }}.first_views)
        when {{ days }}.read_before < {{ runs }}.run_before_until
            then greatest({{ days }}.high_water_mark_before, {{ days }}.first_views)
        else {{ days }}.high_water_mark_before
    end
{%- endmacro %}
