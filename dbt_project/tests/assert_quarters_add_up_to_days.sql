-- The same readings add up to the same totals by quarter of an hour, by the organization's day and by owner:
-- an answer does not depend on which of these marts it comes from.
with

quarters as (
    {% for entity in ("creator", "campaign") %}
    select
        {{ entity }}_id as entity_id
        {%- for counted in video_counters().values() %},
        sum(new_{{ counted }}) as {{ counted }}
        {%- endfor %}
    from {{ ref(entity ~ '_quarter_hours') }}
    group by {{ entity }}_id
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

days as (
    {% for entity in ("creator", "campaign") %}
    select
        {{ entity }}_id as entity_id
        {%- for counted in video_counters().values() %},
        sum(new_{{ counted }}) as {{ counted }}
        {%- endfor %}
    from {{ ref(entity ~ '_daily') }}
    group by {{ entity }}_id
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

parts as (
    select
        campaign_id as entity_id
        {%- for counted in video_counters().values() %},
        sum(new_{{ counted }}) as {{ counted }}
        {%- endfor %}
    from {{ ref('campaign_creator_daily') }}
    group by campaign_id
)

select *
from days
left join quarters using (entity_id)
left join parts using (entity_id)
where
    false
    {%- for counted in video_counters().values() %}
    or days.{{ counted }} is distinct from quarters.{{ counted }}
    or (parts.entity_id is not null and days.{{ counted }} is distinct from parts.{{ counted }})
    {%- endfor %}
