{% macro is_refusal(outcome) -%}
    {#- Whether a fetch's outcome concerns the platform, us or the network, and not one account or post:
        REFUSALS of scrapers/refusing.py. -#}
    {{ outcome }} in (
        'blocked_silent', 'budget_spent', 'challenged', 'consent_ended', 'login_required',
        'out_of_reach', 'rate_limited', 'region_blocked', 'schema_changed', 'unreachable'
    )
{%- endmacro %}
