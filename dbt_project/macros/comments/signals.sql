{% macro comment_signals() -%}
    {#- The names of all signals, as in the contract (Video comments). -#}
    {{ return([
        "app_question", "signup_intent", "ad_disclosure", "risk", "pay_talk", "brand_mention", "competitor",
        "referral_spam",
    ]) }}
{%- endmacro %}


{% macro comment_counts() -%}
    {#- The number of comments with each sentiment and each signal. -#}
    count(*) as comment_count,
    count(*) filter (where sentiment = 'positive') as positive_count,
    count(*) filter (where sentiment = 'neutral') as neutral_count,
    count(*) filter (where sentiment = 'negative') as negative_count,
    count(*) filter (where sentiment is null) as unscored_count,
    {%- for signal in comment_signals() %}
    count(*) filter (where list_contains(signals, '{{ signal }}')) as {{ signal }}_count,
    {%- endfor %}
    count(*) filter (where is_flagged) as flagged_count
{%- endmacro %}
