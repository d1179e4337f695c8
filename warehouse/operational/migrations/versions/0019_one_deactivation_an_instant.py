"""At most one stretch in which an account is deactivated begins at an instant.

Where several did, one stays: the one that lasted longest, the open one above all, so that accounts
were idle when they were before. The change log keeps what the others said.
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(_KEEP_THE_LONGEST)
    op.create_unique_constraint(
        op.f("uq_account_deactivations_account_id_deactivated_at"),
        "account_deactivations",
        ["account_id", "deactivated_at"],
    )
    op.drop_index("ix_account_deactivations_account_id", "account_deactivations")


_KEEP_THE_LONGEST = """
    with ranked as (
        select id, row_number() over (
            partition by account_id, deactivated_at
            order by reactivated_at desc nulls first, id desc
        ) as place
        from account_deactivations
    ),

    gone as (
        delete from account_deactivations
        using ranked
        where ranked.id = account_deactivations.id and ranked.place > 1
        returning account_deactivations.*
    ),

    told as (
        insert into audit_entries (id, at, channel, action, ids, organization_id)
        select gen_random_uuid(), now(), 'cli', 'migrate', '{}', organization_id
        from (select distinct organization_id from gone) as concerned
        returning id, organization_id
    )

    insert into change_entries
    (id, audit_entry_id, organization_id, entity_type, entity_id, kind, changed_at, changes)
    select
        gen_random_uuid(), told.id, gone.organization_id, 'account_deactivation', gone.id,
        'deleted', now(), (
            select jsonb_object_agg(key, jsonb_build_object('from', value, 'to', null))
            from jsonb_each(to_jsonb(gone)) where value <> 'null'
        )
    from gone
    join told on told.organization_id = gone.organization_id
"""
