{% macro status_by_time(today, period_end, settling_days) -%}
    {#- `open` until the period has ended, `settling` for some days more, then `final` (money.md M17).
        `today` is the day of as_of in the accrual's zone: the period has ended once it is over. -#}
    case
        when {{ today }} <= {{ period_end }} then 'open'
        when {{ today }} <= {{ period_end }} + {{ settling_days }} then 'settling'
        else 'final'
    end
{%- endmacro %}


{% macro decided_status(decision, approved_cents, amount_cents, by_time) -%}
    {#- A void sticks; an approval is of an amount: where another one was computed since, the accrual
        is final again (money.md M17), unless its period still runs. -#}
    case
        when {{ decision }} = 'void' then 'void'
        when {{ decision }} = 'approved' and {{ approved_cents }} = {{ amount_cents }} then 'approved'
        when {{ decision }} = 'approved' and {{ by_time }} <> 'open' then 'final'
        else {{ by_time }}
    end
{%- endmacro %}


{% macro decided_note(decision, approved_cents, amount_cents, note) -%}
    {#- What was said with the decision; of an approval that lapsed, why it did (money.md M17). -#}
    if(
        {{ decision }} = 'approved' and {{ approved_cents }} <> {{ amount_cents }},
        'approved at ' || {{ approved_cents }} || ' cents, recomputed to ' || {{ amount_cents }},
        {{ note }}
    )
{%- endmacro %}
