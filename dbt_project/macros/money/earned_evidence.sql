{% macro earned_evidence(earnings) -%}
    {#- What an amount was computed from, as JSON. For cpm and goals it is created when read: see
        cpm_evidence. -#}
    {%- set counts = earnings ~ ".goal_counts" -%}
    case
        when {{ earnings }}.cpm_evidence is not null then {{ cpm_evidence(earnings ~ ".cpm_evidence[1]") }}
        when {{ counts }} is not null
            then json_merge_patch({{ earnings }}.evidence, json_object('counts', list_transform(
                {{ counts }},
                lambda goal_count: {
                    'counter': goal_count.counter,
                    'video_id': goal_count.video_id,
                    'account_id': goal_count.account_id,
                    'platform': goal_count.platform,
                    'posted_at': {{ iso_instant("goal_count.posted_at") }},
                    'from': goal_count.count_from,
                    'from_day': goal_count.from_day,
                    'to': goal_count.count_to,
                    'to_day': goal_count.to_day,
                    'is_first': goal_count.is_first
                }
            )))
        else {{ earnings }}.evidence
    end
{%- endmacro %}
