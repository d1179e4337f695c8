-- No reading is lost: each entity's latest reading since the last published run is in the marts, unless its
-- import was retracted. New readings are determined from control.run, independently of the models.
{% set marts = {"video": "video_deltas", "account": "account_snapshots"} -%}

with

run as (
    select * from {{ source('control', 'run') }}
)
{%- for entity, mart in marts.items() %},

latest_of_{{ entity }}s as (
    select
        observed.{{ entity }}_id,
        max(observed.captured_at) as captured_at
    from {{ source('raw', entity ~ '_snapshots') }} as observed
    inner join run
        on
            observed.batch_seq > run.from_batch_seq
            and observed.batch_seq <= run.to_batch_seq
            and observed.captured_at <= run.as_of
    where observed.batch_seq not in (select unnest(control.retracted()))
    group by observed.{{ entity }}_id
)
{%- endfor %}

{% for entity, mart in marts.items() -%}
select
    '{{ entity }}' as entity,
    {{ entity }}_id as entity_id,
    captured_at
from latest_of_{{ entity }}s
anti join {{ ref(mart) }} using ({{ entity }}_id, captured_at)
{% if not loop.last %}union all{% endif %}
{% endfor %}
