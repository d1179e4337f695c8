"""Find the earlier events of entities without reading the whole log."""

from alembic import op

revision = "0078"
down_revision = "0077"


def upgrade() -> None:
    op.create_index("ix_webhook_events_entity_id", "webhook_events", ["entity_id"])
