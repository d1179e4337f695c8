"""Remove the holders of leases, which 0079 and 0080 noted before any release."""

from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("visits", "scrape_jobs"):
        op.execute(f"alter table {table} drop column if exists lease_holder")
