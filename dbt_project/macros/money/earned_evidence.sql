{% macro earned_evidence(earnings) -%}
    {#- What an amount was computed from, as JSON. Of cpm and goals it is made when read: see cpm_evidence. -#}
    {%- set counts = earnings ~ ".goal_counts" -%}
    case
        when {{ earnings }}.cpm_evidence is not null then {{ cpm_evidence(earnings ~ ".cpm_evidence") }}
        when {{ counts }} is not null
            then json_merge_patch({{ earnings }}.evidence, json_object('counts', list_transform(
                {{ counts }},
                lambda one: {
                    'counter': one.counter,
                    'video_id': one.video_id,
                    'account_id': one.account_id,
                    'platform': one.platform,
                    'posted_at': {{ iso_instant("one.posted_at") }},
                    'from': one.count_from,
                    'from_day': one.from_day,
                    'to': one.count_to,
                    'to_day': one.to_day,
                    'is_first': one.is_first
                }
            )))
        else {{ earnings }}.evidence
    end
{%- endmacro %}
