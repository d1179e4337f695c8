{% macro posted_at_awaited_until() -%}
    {#- Until when the true posting time of a post is awaited, where posted_at is an estimate: for so long
        nothing that money depends on counts the post, because the time may still move; afterwards it
        stays. POSTED_AT_AWAITED of warehouse/registration/posting_times.py. Null where it is known. -#}
    if(posted_at_is_estimate, created_at + interval 48 hours, null)
{%- endmacro %}


{% macro awaits_posted_at(videos) -%}
    {#- Whether a post is left out of accruals and goals, because its true posting time is awaited. -#}
    coalesce({{ videos }}.posted_at_awaited_until > {{ as_of() }}, false)
{%- endmacro %}
