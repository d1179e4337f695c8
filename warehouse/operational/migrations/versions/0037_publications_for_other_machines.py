"""Publications in a bucket, for other machines than the one that builds: which one to serve."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; none has been shared so far."""
    op.create_table(
        "shared_publications",
        sa.Column("publication_id", sa.Uuid(), nullable=False),
        sa.Column("place", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("as_of", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("models_version", sa.String(), nullable=True),
        sa.Column("shared_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("publication_id", name=op.f("pk_shared_publications")),
        sa.UniqueConstraint("place", name=op.f("uq_shared_publications_place")),
    )
