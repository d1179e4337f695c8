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
    return applied_revisions(store) == set(_scripts().get_heads())


def applied_revisions(store: OperationalStore) -> set[str]:
    """Return the revisions that the schema is at; none where there is no schema."""
    with store.engine.connect() as connection:
        return set(MigrationContext.configure(connection).get_current_heads())


def known_revisions() -> set[str]:
    """Return every revision of this code's history: a schema at another one is newer."""
    return {script.revision for script in _scripts().walk_revisions()}


def configuration(connection: Connection) -> Config:
    """Return Alembic's configuration for work on `connection`; there is no alembic.ini."""
    config = _configuration()
    config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_configuration())


def _configuration() -> Config:
    config = Config()
    config.set_main_option("script_location", "warehouse.operational:migrations")
    return config
