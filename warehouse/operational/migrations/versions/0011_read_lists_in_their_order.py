"""Read lists of creators, accounts and videos in their order, in place of sorting all of them."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("creators", "accounts", "videos"):
        op.create_index(f"ix_{table}_listed", table, ["organization_id", "created_at", "id"])
        op.drop_index(f"ix_{table}_organization_id", table)
