"""Copy tags with what carries them, the titles that people gave posts, and the keys of events."""

from importlib import import_module

import sqlalchemy as sa
from alembic import op

from warehouse.operational.migrations.following import follow, note_changes

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

COPIED: dict[str, str] = import_module(
    "warehouse.operational.migrations.versions.0020_note_what_no_publication_shows_yet"
).COPIED
"""What was copied before, of each table."""
ADDED = {"videos": "custom_title", "conversion_events": "key"}
TAGS = {
    "tags": (["id", "organization_id", "entity_type", "name", "color", "created_at"], ["id"]),
    "tag_items": (["tag_id", "item_id", "organization_id", "created_at"], ["tag_id", "item_id"]),
}
"""Copied columns and key of each table that was not copied before."""
TRIGGERS = (
    "note_unpublished_change",
    "note_writer",
    "refuse_another_key",
    "note_departures",
    "note_emptied",
)


def upgrade() -> None:
    """Have these tables and columns followed like the others."""
    for table, (columns, key) in TAGS.items():
        op.add_column(
            table,
            sa.Column(
                "changed_by",
                sa.BigInteger(),
                server_default=sa.text("pg_current_xact_id()::text::bigint"),
                nullable=False,
            ),
        )
        op.create_index(op.f(f"ix_{table}_changed_by"), table, ["changed_by"])
        note_changes(table, columns)
        follow(table, columns, key)
    for table, column in ADDED.items():
        for trigger in TRIGGERS:
            op.execute(f"drop trigger {trigger} on {table}")
        columns = [*COPIED[table].split(", "), column]
        note_changes(table, columns)
        follow(table, columns, ["id"])
