"""Remove the versions of organizations, which 0060, 0062 and 0066 made before any release."""

from alembic import op

revision = "0067"
down_revision = "0066"

REMOVE = """
    do $$
    declare
        unused regprocedure;
    begin
        for unused in
            select oid from pg_proc
            where pronamespace = current_schema()::regnamespace
                and proname ~ '^(advance_|note_organizations$)'
                and prosrc ~ 'organization_versions|advance_organizations|organization_ids'
        loop
            execute format('drop function %s cascade', unused);
        end loop;
    end
    $$;

    drop table if exists organization_versions;

    alter table unpublished_changes
        drop column if exists organization_ids,
        add column if not exists written_by bigint not null default 0;
    alter table unpublished_changes
        alter column written_by set default pg_current_xact_id()::text::bigint
"""
"""Functions go with their triggers. An operator's own of such a name stay."""

RENEW = """
    insert into unpublished_changes (table_name)
    select 'shard_assignments' where exists (select from shards)
"""
"""It wakes every shard: the transactions of waiting changes may be unknown."""


def upgrade() -> None:
    """Remove what is there. A database of 2.0.0 has nothing of it."""
    op.execute(REMOVE)
    op.execute(RENEW)
