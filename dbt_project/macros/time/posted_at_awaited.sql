{% macro posted_at_awaited_until() -%}
    {#- Until when a post with an estimated posted_at waits for its true posting time: until then nothing that
        affects money counts the post, because the time may change; after that it is fixed. POSTED_AT_AWAITED
        of warehouse/registration/posting_times.py. Null if the time is known. -#}
    if(posted_at_is_estimate, created_at + interval 48 hours, null)
{%- endmacro %}


{% macro awaits_posted_at(videos) -%}
    {#- Whether a post is excluded from accruals and goals because its true posting time is awaited. -#}
    coalesce({{ videos }}.posted_at_awaited_until > {{ as_of() }}, false)
{%- endmacro %}
