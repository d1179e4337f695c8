{% macro cpm_evidence(evidence) -%}
    {#- What a cpm amount was computed from, as JSON (money.md M8), from the `evidence` struct of
        int_payout_cpm; null without one. Created when read: a text for every period would take most of a
        build's time. -#}
    {%- set e = evidence -%}
    {%- set payable = e ~ ".impressions + " ~ e ~ ".carry_in" -%}
    if({{ e }} is null, null, to_json({
        'type': 'cpm',
        'impressions': {{ e }}.impressions,
        'carry_in': {{ e }}.carry_in,
        'payable': {{ payable }},
        'carry_out': {{ e }}.carry_out,
        'min_impressions': {{ e }}.min_impressions,
        'tiers': list_transform({{ e }}.tiers, lambda tier: {
            'up_to_impressions': tier.up_to_impressions,
            'cents_per_thousand': cast(tier.rate_millionths * 0.000001 as varchar),
            'impressions': {{ paid_tier_views(e, payable) }},
            'cents': cast(
                {{ precise_cents(paid_tier_views(e, payable) ~ " * tier.rate_millionths") }} as varchar
            )
        }),
        'before_cap_cents': cast({{ e }}.before_cap_cents as varchar),
        'max_payout_cents': {{ e }}.max_payout_cents,
        'precise_cents': cast({{ e }}.running_total_cents - {{ e }}.running_total_before_cents as varchar),
        'running_total_before_cents': cast({{ e }}.running_total_before_cents as varchar),
        'running_total_cents': cast({{ e }}.running_total_cents as varchar),
        'covered': {{ e }}.covered,
        'platform_scope': {{ e }}.platform_scope,
        'platform': {{ e }}.platform,
        'account_id': {{ e }}.account_id,
        'view_lifetime_days': {{ e }}.view_lifetime_days,
        'limited_by': {{ e }}.limited_by,
        'videos': list_transform(
            list_sort(coalesce({{ e }}.videos, [])),
            lambda video: {
                'video_id': video.video_id,
                'account_id': video.account_id,
                'views_from': video.views_from,
                'views_to': video.views_to,
                'views': video.views_to - video.views_from,
                'lifetime_ends_at': {{ iso_instant("video.lifetime_ends_at") }}
            }
        )
    }))
{%- endmacro %}


{% macro paid_tier_views(evidence, payable) -%}
    {#- The views that a tier pays for; none if all were carried over. -#}
    if({{ evidence }}.carry_out > 0, 0, {{ tier_views(payable, "tier") }})
{%- endmacro %}
