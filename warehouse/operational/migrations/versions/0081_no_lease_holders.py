"""Remove the holders of leases, which 0079 and 0080 noted before any release."""

import sqlalchemy as sa
from alembic import op

revision = "0081"
down_revision = "0080"


def upgrade() -> None:
    """Lock no table that lacks the column: claims would wait."""
    schema = sa.inspect(op.get_bind())
    for table in ("visits", "scrape_jobs"):
        if any(column["name"] == "lease_holder" for column in schema.get_columns(table)):
            op.drop_column(table, "lease_holder")
