"""The schema's history since 2.0.0, applied by `migrate`. Each version is a module in `versions/`.

`python -m warehouse.operational.migrations "what changes"` writes the next one from the models.
Every process calls `is_current`; only schema changes import Alembic, which takes a second.
"""

import ast
from collections.abc import Collection
from importlib.resources import files
from typing import TYPE_CHECKING
from uuid import UUID

import stamina
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import OperationalStore

if TYPE_CHECKING:
    from alembic.config import Config

# Any constant; simultaneous `migrate` calls on a database wait for this lock.
ADVISORY_LOCK = 7_238_114_906_021
LOCK_WAIT = "5s"
"""Longest wait of a schema change for a table's lock. What other processes do with the table waits
behind it, so it ends, and the migration is repeated after PAUSE_SECONDS, ATTEMPTS times in all.
"""
ATTEMPTS, PAUSE_SECONDS = 12, 5
_IN_USE_BY = text("""
    select distinct pid, coalesce(nullif(application_name, ''), usename) as name
    from pg_locks inner join pg_stat_activity using (pid)
    where locktype = 'relation' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and coalesce(xact_start, '-infinity') < clock_timestamp() - cast(:wait as interval)
    order by pid
""")
"""Transactions that are older than a wait; other users' have no start."""


class NewerSchemaError(OperationalStoreError):
    """A later version of this code has migrated the schema to `revision`."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the schema is at revision {revision}, made by a later version")
        self.revision = revision


class OlderSchemaError(OperationalStoreError):
    """The schema, or a backup's, is older than this code's first revision."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the schema is at revision {revision}, from before 2.0.0")


class DividedOrganizationError(OperationalStoreError):
    """Projects of an organization are in several shards, as 2.0.0 allowed."""

    def __init__(self, organization_id: UUID) -> None:
        super().__init__(
            f"the projects of organization {organization_id} are in several shards: move them to "
            "one with `tracker shard move SHARD --project ID` of the version in use, wait until "
            "`tracker shard list` shows that none is arriving, and upgrade again"
        )


class SchemaInUseError(OperationalStoreError):
    """A schema change cannot lock its table: another transaction uses it."""

    def __init__(self, statement: str, users: Collection[str]) -> None:
        super().__init__(
            f"`{statement}` waits for a lock; open transactions: {', '.join(users) or 'short ones'}"
            ". Let them end, or end one with `select pg_terminate_backend(PROCESS)` in PostgreSQL, "
            "then run `tracker init` again"
        )


BEFORE_BASELINE = "3df8d254746b"
"""The last commit that upgrades schemas from before 2.0.0."""
BY_WAY_OF = (
    f"Go by way of commit {BEFORE_BASELINE}, which upgrades every older version: `git checkout "
    f"{BEFORE_BASELINE}`, `make install`, `tracker init`; then return to this version and run "
    "`tracker init` again."
)


def require_known(revisions: Collection[str]) -> None:
    """Raise NewerSchemaError or OlderSchemaError for an unknown revision."""
    known = known_revisions()
    for revision in sorted(set(revisions) - known):
        raise (OlderSchemaError if revision < min(known) else NewerSchemaError)(revision)


def migrate(store: OperationalStore) -> None:
    """Migrate the schema in one transaction. Several processes may call it at the same time.

    Raises SchemaInUseError.
    """
    every = {"wait_initial": PAUSE_SECONDS, "wait_max": PAUSE_SECONDS, "wait_jitter": 0}
    retries = stamina.retry_context(SchemaInUseError, attempts=ATTEMPTS, timeout=None, **every)
    for attempt in retries:  # each is logged with its cause
        with attempt:
            _migrate(store)


def _migrate(store: OperationalStore) -> None:
    from alembic import command  # noqa: PLC0415

    try:
        with store.engine.begin() as connection:
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            connection.execute(text(f"set local lock_timeout = '{LOCK_WAIT}'"))
            command.upgrade(configuration(connection), "head")
    except OperationalError as error:
        if not isinstance(error.orig, LockNotAvailable | DeadlockDetected):
            raise
        with store.autocommit.connect() as connection:
            users = connection.execute(_IN_USE_BY, {"wait": LOCK_WAIT}).all()
        statement = " ".join((error.statement or "").split())[:80]
        in_use_by = [f"process {user.pid} ({user.name})" for user in users]
        raise SchemaInUseError(statement, in_use_by) from error


def is_current(store: OperationalStore) -> bool:
    """Return whether the schema is at this code's revision."""
    return applied_revisions(store) == {max(known_revisions())}


def applied_revisions(store: OperationalStore) -> set[str]:
    """Return the schema's revisions, empty without a schema."""
    with store.engine.connect() as connection:
        if connection.scalar(text("select to_regclass('alembic_version')")) is None:
            return set()
        return set(connection.scalars(text("select version_num from alembic_version")))


def pending_changes(store: OperationalStore) -> list[tuple[str, str]]:
    """Return (revision, subject) of each pending migration, in order.

    Raises NewerSchemaError and OlderSchemaError.
    """
    applied = applied_revisions(store)
    require_known(applied)
    since = max(applied, default="")
    pending = sorted(revision for revision in known_revisions() if revision > since)
    return [(revision, _subject_of(revision)) for revision in pending]


def _subject_of(revision: str) -> str:
    """Return the first line of a revision's docstring."""
    versions = files(f"{__package__}.versions")
    (module,) = (entry for entry in versions.iterdir() if entry.name.startswith(revision))
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or revision
    return docstring.splitlines()[0]


def known_revisions() -> set[str]:
    """Return all revisions of this code, from the baseline on.

    The history is linear, and a module's name begins with its revision: 0059, 0060, ...
    """
    names = (entry.name for entry in files(f"{__package__}.versions").iterdir())
    return {name[:4] for name in names if name[:4].isdigit()}


def configuration(connection: Connection) -> "Config":
    """Return Alembic's configuration for `connection`. There is no alembic.ini."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", "warehouse.operational:migrations")
    config.attributes["connection"] = connection
    return config
