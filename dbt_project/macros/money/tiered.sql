{# Graduated tiers (money.md M8), as lists of {above, up_to_impressions, rate_millionths}: `above` is the
   bound of the previous tier, the rate is in millionths of a cent per thousand views. #}

{% macro tier_views(payable, tier) -%}
    {#- How many of the payable views fall into a tier; its bound is inclusive. -#}
    greatest(least({{ payable }}, {{ tier }}.up_to_impressions) - {{ tier }}.above, 0)
{%- endmacro %}


{% macro tiered_billionths(payable, tiers) -%}
    {#- What the payable views earn in all tiers, in billionths of a cent: exactly views times the rate in
        millionths per thousand. -#}
    list_sum(
        list_transform({{ tiers }}, lambda tier: {{ tier_views(payable, "tier") }} * tier.rate_millionths)
    )
{%- endmacro %}
