-- Unbounded sums by status, in cents, of the accruals that filters select; no column has void ones (M17).

with

filters as materialized (
    select
        unnest(
            from_json(
                $filters,
                '[{
                    "number": "INTEGER",
                    "project_id": "UUID",
                    "structure_id": "UUID",
                    "creator_ids": ["UUID"],
                    "from_day": "DATE",
                    "to_day": "DATE"
                }]'
            ),
            max_depth := 2
        )
),

everybodys_projects as (
    select distinct project_id
    from filters
    where creator_ids is null
),

everybodys as (
    select
        accruals.project_id,
        accruals.structure_id,
        accruals.period_end,
        accruals.status,
        sum(accruals.amount_cents) as amount_cents
    from accruals
    semi join everybodys_projects using (project_id)
    group by all
),

named as (
    select
        filters.* exclude (creator_ids),
        unnest(filters.creator_ids) as creator_id
    from filters
),

counted as (
    select
        filters.number,
        everybodys.status,
        everybodys.amount_cents
    from filters
    inner join everybodys
        on
            filters.project_id = everybodys.project_id
            and (filters.structure_id is null or filters.structure_id = everybodys.structure_id)
            and (filters.from_day is null or filters.from_day <= everybodys.period_end)
            and (filters.to_day is null or filters.to_day >= everybodys.period_end)
    where filters.creator_ids is null
    union all
    select
        named.number,
        accruals.status,
        accruals.amount_cents
    from named
    inner join accruals
        on
            named.project_id = accruals.project_id
            and named.creator_id = accruals.creator_id
            and (named.structure_id is null or named.structure_id = accruals.structure_id)
            and (named.from_day is null or named.from_day <= accruals.period_end)
            and (named.to_day is null or named.to_day >= accruals.period_end)
)

select
    coalesce(sum(amount_cents) filter (where status = 'open'), 0) as open_cents,
    coalesce(sum(amount_cents) filter (where status = 'settling'), 0) as settling_cents,
    coalesce(sum(amount_cents) filter (where status = 'final'), 0) as final_cents,
    coalesce(sum(amount_cents) filter (where status = 'approved'), 0) as approved_cents,
    coalesce(sum(amount_cents) filter (where status = 'paid'), 0) as paid_cents
from filters
left join counted using (number)
group by filters.number
order by filters.number
