"""The schema's history, applied by `migrate`. Each version is a module in `versions/`.

`python -m warehouse.operational.migrations "what changes"` writes the next one from the models.
"""

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from warehouse.operational.store import OperationalStore

# Any constant; it is what simultaneous `migrate` calls of one database wait for.
ADVISORY_LOCK = 7_238_114_906_021


def migrate(store: OperationalStore) -> None:
    """Bring the schema up to date, all or nothing. Safe to call from several processes at once."""
    with store.engine.begin() as connection:
        connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        command.upgrade(configuration(connection), "head")


def is_current(store: OperationalStore) -> bool:
    """Tell whether the schema is the one that this code expects."""
    with store.engine.connect() as connection:
        applied = MigrationContext.configure(connection).get_current_heads()
        known = ScriptDirectory.from_config(configuration(connection)).get_heads()
    return set(applied) == set(known)


def configuration(connection: Connection) -> Config:
    """Return Alembic's configuration for work on `connection`; there is no alembic.ini."""
    config = Config()
    config.set_main_option("script_location", "warehouse.operational:migrations")
    config.attributes["connection"] = connection
    return config
