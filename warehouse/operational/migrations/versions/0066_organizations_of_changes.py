"""Record the organizations of each unpublished change, so that it wakes only their shards."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

EVERYBODY = "00000000-0000-0000-0000-000000000000"

ADVANCE = """
    create or replace function advance_organizations(ids uuid[]) returns void language plpgsql as $$
    declare
        own bigint;
    begin
        if ids = '{}' then
            return;
        end if;
        own := pg_current_xact_id()::text::bigint;
        with others as (
            select distinct id
            from unnest(ids) as id
            where id is not null and not exists (
                select from organization_versions as noted
                where noted.organization_id = id and noted.written_by = own
            )
        ),
        earlier as (
            select noted.organization_id, noted.written_by
            from organization_versions as noted
            inner join others on others.id = noted.organization_id
            where current_setting('transaction_isolation') = 'read committed'
            for update of noted skip locked
        ),
        merged as (
            delete from organization_versions as noted
            using earlier
            where noted.organization_id = earlier.organization_id
                and noted.written_by = earlier.written_by
            returning noted.organization_id, noted.token
        )
        insert into organization_versions (organization_id, written_by, token)
        select
            others.id,
            own,
            random(-9223372036854775808, 9223372036854775807) # coalesce(bit_xor(merged.token), 0)
        from others
        left join merged on merged.organization_id = others.id
        group by others.id;
    end
    $$
"""
"""As in 0060."""

NOTE = """
    create function note_organizations() returns trigger language plpgsql as $$
    begin
        update unpublished_changes
        set organization_ids = case
            when new.table_name = 'shard_assignments'
                then array['00000000-0000-0000-0000-000000000000'::uuid]
            else array(
                select organization_id from organization_versions
                where written_by = pg_current_xact_id()::text::bigint
                    and organization_id <> '00000000-0000-0000-0000-000000000000'
            )
        end
        where id = new.id;
        return null;
    end
    $$;

    create constraint trigger note_organizations after insert on unpublished_changes
    deferrable initially deferred
    for each row when (new.organization_ids = '{}') execute function note_organizations()
"""
"""It runs at the end of the transaction, when all its organizations have a version of it. Rows of
everybody are users, who are not copied. Processes of 2.0.0 beside this schema request rollups of
all shards by a row of shard_assignments without organizations.
"""


def upgrade() -> None:
    """Replace the numbers of 0062 by organizations. Waiting changes concern every shard."""
    op.execute(ADVANCE)
    op.drop_column("organization_versions", "last_writer")
    op.create_index("ix_organization_versions_written_by", "organization_versions", ["written_by"])
    op.drop_column("unpublished_changes", "written_by")
    every_shard = f"{{{EVERYBODY}}}"
    op.add_column(
        "unpublished_changes",
        sa.Column("organization_ids", ARRAY(sa.Uuid), nullable=False, server_default=every_shard),
    )
    op.alter_column("unpublished_changes", "organization_ids", server_default="{}")
    op.execute(NOTE)
