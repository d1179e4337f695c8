"""What Alembic runs for every command: the caller's connection, the models' tables."""

from alembic import context

from warehouse.operational import models

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=models.Organization.metadata,
)
with context.begin_transaction():
    context.run_migrations()
