{% macro in_scope(rules, facts) -%}
    {#- Whether a fact with platform and account_id is in the scope of a version (contract, Payout structures:
        scope validation). -#}
    case {{ rules }}.platform_scope
        when 'all' then true
        when 'platform' then {{ rules }}.platform = {{ facts }}.platform
        when 'account' then {{ rules }}.account_id = {{ facts }}.account_id
    end
{%- endmacro %}
