select
    entity_id,
    from_day,
    to_day,
    readings_due,
    readings_came
from marts.view_coverage
where
    organization_id = $organization_id
    and entity_id in (select cast(unnest(string_split($ids, ',')) as uuid))
