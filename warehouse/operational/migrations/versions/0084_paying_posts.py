"""Store from when on the next fetch of a post affects pay, whatever it is due for."""

from alembic import op

revision = "0084"
down_revision = "0083"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("alter table post_looks add column pays_at timestamptz")
