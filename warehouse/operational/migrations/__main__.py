"""Write the next migration: what the models have and the schema lacks."""

import sys

from alembic import command
from alembic.script import ScriptDirectory

from warehouse.operational.migrations import configuration, migrate
from warehouse.operational.store import operational_store
from warehouse.settings import Settings

if __name__ == "__main__":
    with operational_store(Settings()) as store:
        migrate(store)
        with store.engine.begin() as connection:
            config = configuration(connection)
            known = list(ScriptDirectory.from_config(config).walk_revisions())
            command.revision(
                config,
                message=sys.argv[1],
                autogenerate=True,
                rev_id=f"{len(known) + 1:04}",
            )
