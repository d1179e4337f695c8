"""The schema of 2.0.0. What older versions had was brought here by 2.0.0 itself."""

from pathlib import Path

from alembic import op

revision = "0059"
down_revision = None
branch_labels = None
depends_on = None

SCHEMA = Path(__file__).with_name("baseline.sql")
"""As pg_dump wrote it, without comments and the schema's name."""


def upgrade() -> None:
    """Make the schema: by the driver, which takes several statements at once."""
    cursor = op.get_bind().connection.cursor()
    cursor.execute(SCHEMA.read_text(encoding="utf-8"))
    cursor.close()
