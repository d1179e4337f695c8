"""Which organization's invitation made a user."""

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it. An older user was made by the first invitation that it accepted.

    Users that are older than this invitation were there before it.
    """
    op.add_column(
        "users",
        sa.Column(
            "made_by_organization_id",
            sa.Uuid(),
            sa.ForeignKey(
                "organizations.id", name=op.f("fk_users_made_by_organization_id_organizations")
            ),
            nullable=True,
        ),
    )
    op.execute(
        """
        update users
        set made_by_organization_id = made.organization_id
        from (
            select distinct on (accepted_by_user_id)
                accepted_by_user_id, organization_id, created_at
            from invitations
            where status = 'accepted'
            order by accepted_by_user_id, updated_at
        ) as made
        where made.accepted_by_user_id = users.id and users.created_at >= made.created_at
        """
    )
