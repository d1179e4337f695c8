{{ config(materialized="view") }}

with

payees as (
    select * from {{ ref('int_payout_payees') }}
),

members as (
    select
        payee_id,
        'project' as entity,
        project_id as entity_id
    from payees
    union all by name
    select
        payee_id,
        'structure' as entity,
        structure_id as entity_id
    from payees
    union all by name
    select
        payee_id,
        'creator' as entity,
        creator_id as entity_id
    from payees
    union all by name
    select
        payees.payee_id,
        'campaign' as entity,
        reached.campaign_id as entity_id
    from payees
    inner join {{ ref('campaign_creators') }} as reached using (organization_id, creator_id)
)

select * from members
