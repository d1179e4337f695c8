"""Add which changes a person waits for, and which organizations a change concerns."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

IS_AWAITED = "coalesce(current_setting('tracker.change_is_awaited', true), '') = 'yes'"
OWN = "pg_current_xact_id()::text::bigint"

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
            returning noted.organization_id, noted.token, noted.last_writer
        )
        insert into organization_versions (organization_id, written_by, token, last_writer)
        select
            others.id,
            own,
            random(-9223372036854775808, 9223372036854775807) # coalesce(bit_xor(merged.token), 0),
            greatest(own, max(merged.last_writer))
        from others
        left join merged on merged.organization_id = others.id
        group by others.id;
    end
    $$
"""
"""As in 0060, except that the last of the merged transactions stays known. A transaction that began
earlier may write later; its number alone would hide those it merges.
"""


def upgrade() -> None:
    """Add the columns. Waiting changes concern every shard: `written_by` is 0.

    `last_writer` has a default for a writer that waits meanwhile in the function of 0060.
    """
    op.add_column(
        "organization_versions",
        sa.Column("last_writer", sa.BigInteger(), nullable=False, server_default=sa.text(OWN)),
    )
    op.execute("update organization_versions set last_writer = written_by")
    op.execute(ADVANCE)
    op.add_column(
        "unpublished_changes",
        sa.Column("written_by", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.alter_column("unpublished_changes", "written_by", server_default=sa.text(OWN))
    op.add_column(
        "unpublished_changes",
        sa.Column("is_awaited", sa.Boolean(), nullable=False, server_default=sa.text(IS_AWAITED)),
    )
