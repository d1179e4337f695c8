-- How far the publication reaches, and how long an organization's payments settle.

select
    as_of,
    coalesce((select decided_up_to from marts.run), 0) as decided_up_to,
    coalesce(
        (
            select payout_settling_days
            from marts.organizations
            where organization_id = $organization_id
        ),
        0
    ) as settling_days
from marts.publication
