"""Write the next migration from the differences between models and schema."""

import sys

from alembic import command

from warehouse.operational.migrations import configuration, known_revisions, migrate
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

if __name__ == "__main__":
    with operational_store(Settings()) as store:
        migrate(store)
        with store.engine.begin() as connection:
            command.revision(
                configuration(connection),
                message=sys.argv[1],
                autogenerate=True,
                rev_id=f"{int(max(known_revisions())) + 1:04}",
            )
