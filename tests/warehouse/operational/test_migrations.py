"""Migrations lead to the models, once, however often and by whomever they are applied."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import stamina
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, select, text

from warehouse.ids import uuid7
from warehouse.operational import migrations
from warehouse.operational.base import Base
from warehouse.operational.migrations import (
    DividedOrganizationError,
    SchemaInUseError,
    applied_revisions,
    configuration,
    is_current,
    known_revisions,
    migrate,
)
from warehouse.operational.models import ShardAssignment
from warehouse.operational.store import OperationalStore


def differences(store: OperationalStore) -> list[object]:
    with store.engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))


def checks(connection: Connection, schema: str) -> set[tuple[str, str]]:
    """Return the name and definition of each check of a schema's tables."""
    rows = connection.execute(
        text(
            "select conname, pg_get_constraintdef(oid) from pg_constraint"
            " where contype = 'c' and connamespace = cast(:schema as regnamespace)"
        ),
        {"schema": schema},
    )
    return {(str(name), str(definition)) for name, definition in rows}


def test_models_and_migrations_describe_the_same_schema(store: OperationalStore) -> None:
    assert differences(store) == []


def test_models_and_migrations_check_the_same(store: OperationalStore) -> None:
    """Alembic's comparison ignores checks, such as the platforms that a table accepts."""
    with store.engine.connect() as connection:
        migrated = checks(connection, "public")
        connection.execute(text("create schema as_modelled"))
        modelled = connection.execution_options(schema_translate_map={None: "as_modelled"})
        Base.metadata.create_all(modelled)
        assert checks(connection, "as_modelled") == migrated
        connection.rollback()


@pytest.mark.slow
def test_a_database_is_current_once_it_was_migrated(empty: OperationalStore) -> None:
    assert not is_current(empty)
    assert differences(empty) != []
    migrate(empty)
    assert is_current(empty)
    migrate(empty)
    assert is_current(empty)


def test_file_names_match_alembics_revisions(store: OperationalStore) -> None:
    with store.engine.connect() as connection:
        scripts = ScriptDirectory.from_config(configuration(connection))
        assert known_revisions() == {script.revision for script in scripts.walk_revisions()}
        assert applied_revisions(store) == set(scripts.get_heads())
        assert applied_revisions(store) == set(
            MigrationContext.configure(connection).get_current_heads()
        )


@pytest.mark.slow
def test_concurrent_migrations_run_once(empty: OperationalStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrate(empty), range(4)))
    assert is_current(empty)
    assert differences(empty) == []


VERSIONED = """
    alter table unpublished_changes
        drop column written_by, add organization_ids uuid[] not null default '{}';
    create table organization_versions (organization_id uuid primary key, token bigint not null);
    create function advance_owner() returns trigger language plpgsql as
        $$ begin insert into organization_versions select gen_random_uuid(), 1; return null; end $$;
    create function note_organizations() returns trigger language plpgsql as
        $$ begin new.organization_ids := '{}'; return new; end $$;
    create trigger advance_after_insert after insert on tags
        for each statement execute function advance_owner();
    create trigger note_organizations before insert on unpublished_changes
        for each row execute function note_organizations()
"""
"""An extract of the former revisions 0060 and 0066, which are empty now."""


@pytest.mark.slow
def test_versions_of_organizations_are_removed(empty: OperationalStore) -> None:
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0066")
        connection.execute(text(VERSIONED))
        connection.execute(text("create function advance_mine() returns int return 1"))
    migrate(empty)
    assert differences(empty) == []
    with empty.engine.begin() as connection:
        connection.execute(text("insert into unpublished_changes (table_name) values ('tags')"))
        functions = connection.scalars(
            text(
                "select tgname from pg_trigger where tgname like 'advance%'"
                " union select proname from pg_proc where proname ~ '^(advance|note_organ)'"
            )
        )
        assert functions.all() == ["advance_mine"]


def test_a_migration_that_fails_changes_nothing(empty: OperationalStore) -> None:
    with empty.engine.begin() as connection:
        connection.execute(text("create table videos (unexpected integer)"))
    with pytest.raises(Exception, match="already exists"):
        migrate(empty)
    with empty.engine.connect() as connection:
        assert connection.scalar(text("select to_regclass('organizations')")) is None


def test_a_migration_that_waits_for_long_fails_and_names_the_lock(
    empty: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "LOCK_WAIT", "50ms")
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0081")
    name = {"application_name": "pg_dump"}
    with psycopg.connect(empty.dsn, **name) as dump, stamina.set_testing(True, attempts=2):
        dump.execute("select from payout_payments")
        waits = f"payout_payments.* process {dump.info.backend_pid} \\(pg_dump\\).*pg_terminate_b"
        with pytest.raises(SchemaInUseError, match=waits):
            migrate(empty)
        assert applied_revisions(empty) == {"0081"}
    migrate(empty)
    assert is_current(empty)


@pytest.mark.parametrize("column", ["", "add lease_holder uuid"])
def test_tables_are_locked_only_to_drop_existing_objects(
    empty: OperationalStore, column: str
) -> None:
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0080")
        if column:
            connection.execute(text(f"alter table visits {column}"))
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0081")
        locked = connection.scalars(
            text(
                "select relation::regclass::text from pg_locks"
                " where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'"
            )
        )
        assert locked.all() == (["visits"] if column else [])
        assert "lease_holder" not in {
            each["name"] for each in inspect(connection).get_columns("visits")
        }


DIVIDED = """
    insert into organizations (id, name, created_at, updated_at)
    values (:organization, 'Huge', now(), now());

    insert into projects (id, organization_id, name, created_at, updated_at)
    values
    (:first, :organization, 'First', now(), now()),
    (:second, :organization, 'Second', now(), now());

    insert into shards (name) values ('main'), ('east');

    insert into shard_assignments (id, organization_id, project_id, shard, served_by)
    values (gen_random_uuid(), :organization, :first, 'east', 'east')
"""
"""What `tracker shard move east --project` of 2.0.0 wrote for an organization with two projects."""


@pytest.mark.slow
def test_an_organization_divided_among_shards_is_refused_until_it_is_in_one(
    empty: OperationalStore,
) -> None:
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0069")
    ids = {name: uuid7() for name in ("organization", "first", "second")}
    with empty.engine.begin() as connection:
        for statement in DIVIDED.split(";"):
            connection.execute(text(statement), ids)
    with pytest.raises(DividedOrganizationError, match="are in several shards: move them to one"):
        migrate(empty)
    with empty.engine.begin() as connection:
        connection.execute(text("delete from projects where id = :second"), ids)
    migrate(empty)
    with empty.read_session() as session:
        [assigned] = session.scalars(select(ShardAssignment))
        assert (assigned.organization_id, assigned.project_id, assigned.shard) == (
            ids["organization"],
            None,
            "east",
        )
