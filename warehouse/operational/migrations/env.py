"""Alembic's entry point: runs migrations on the caller's connection."""

from alembic import context

from warehouse.operational import models

context.configure(
    connection=context.config.attributes["connection"], target_metadata=models.Organization.metadata
)
with context.begin_transaction():
    context.run_migrations()
