"""The schema of 2.0.0. Version 2.0.0 itself upgrades older schemas to it."""

from pathlib import Path

from alembic import op

revision = "0059"
down_revision = None

SCHEMA = Path(__file__).with_name("baseline.sql")
"""Triggers of tables that runs copy are made in a loop."""


def upgrade() -> None:
    """Create the schema through the driver, which accepts several statements at once."""
    cursor = op.get_bind().connection.cursor()
    cursor.execute(SCHEMA.read_text(encoding="utf-8"))
    cursor.close()
