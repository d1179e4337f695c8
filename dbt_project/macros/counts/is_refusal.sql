{% macro is_refusal(outcome) -%}
    {#- Whether a look's ending speaks of the platform, of us or of the way between, and not of one account or
        post: REFUSALS of scrapers/remedies.py. -#}
    {{ outcome }} in (
        'blocked_silent', 'budget_spent', 'challenged', 'consent_ended', 'login_required',
        'out_of_reach', 'rate_limited', 'region_blocked', 'schema_changed', 'unreachable'
    )
{%- endmacro %}
