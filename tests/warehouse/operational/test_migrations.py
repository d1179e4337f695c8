"""The schema's history leads to the models, once, however often and by whomever it is applied."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from tests.factories.earlier_schemas import go_back_to_deactivations_at_one_instant
from warehouse.ids import uuid7
from warehouse.operational.base import Base
from warehouse.operational.migrations import (
    applied_revisions,
    configuration,
    is_current,
    known_revisions,
    migrate,
)
from warehouse.operational.store import OperationalStore


def differences(store: OperationalStore) -> list[object]:
    with store.engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))


def checks(connection: Connection, schema: str) -> set[tuple[str, str]]:
    """Each check of a schema's tables: its name and what it says, as PostgreSQL writes it."""
    found = connection.execute(
        text(
            "select conname, pg_get_constraintdef(oid) from pg_constraint"
            " where contype = 'c' and connamespace = cast(:schema as regnamespace)"
        ),
        {"schema": schema},
    )
    return {(str(name), str(definition)) for name, definition in found}


def test_models_and_migrations_describe_the_same_schema(store: OperationalStore) -> None:
    assert differences(store) == []


def test_models_and_migrations_check_the_same(store: OperationalStore) -> None:
    """Alembic's comparison passes over checks, such as which platforms a table takes."""
    with store.engine.connect() as connection:
        migrated = checks(connection, "public")
        connection.execute(text("create schema as_modelled"))
        modelled = connection.execution_options(schema_translate_map={None: "as_modelled"})
        Base.metadata.create_all(modelled)
        assert checks(connection, "as_modelled") == migrated
        connection.rollback()


def test_a_database_is_current_once_it_was_migrated(empty: OperationalStore) -> None:
    assert not is_current(empty)
    assert differences(empty) != []
    migrate(empty)
    assert is_current(empty)
    migrate(empty)
    assert is_current(empty)


def test_the_modules_names_tell_what_alembic_reads_in_them(store: OperationalStore) -> None:
    with store.engine.connect() as connection:
        scripts = ScriptDirectory.from_config(configuration(connection))
        assert known_revisions() == {script.revision for script in scripts.walk_revisions()}
        assert applied_revisions(store) == set(scripts.get_heads())
        assert applied_revisions(store) == set(
            MigrationContext.configure(connection).get_current_heads()
        )


def test_migrating_at_once_from_many_places_does_it_once(empty: OperationalStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrate(empty), range(4)))
    assert is_current(empty)
    assert differences(empty) == []


def test_a_migration_that_fails_changes_nothing(empty: OperationalStore) -> None:
    with empty.engine.begin() as connection:
        connection.execute(text("create table videos (unexpected integer)"))
    with pytest.raises(Exception, match="already exists"):
        migrate(empty)
    with empty.engine.connect() as connection:
        assert connection.scalar(text("select to_regclass('organizations')")) is None


def test_an_organization_that_was_there_gets_the_default_payout_methods(
    empty: OperationalStore,
) -> None:
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0006")
        older = "insert into organizations (id, name, created_at, updated_at) values"
        connection.execute(text(f"{older} (:id, 'Acme', now(), now())"), {"id": uuid7()})
    migrate(empty)
    with empty.engine.connect() as connection:
        names = connection.scalars(text("select name from payout_methods where is_default"))
        assert sorted(names) == ["Bank transfer", "PayPal", "Wise"]


def test_consents_that_were_there_stay_with_the_member_alone(empty: OperationalStore) -> None:
    """0017: in force until the latest refresh token ends, and ended for who is no member."""
    ids = {name: uuid7() for name in ("of", "client", "member", "left")}
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0016")
        for statement in CONSENTS_OF_OLD.split(";"):
            connection.execute(text(statement), ids)
    migrate(empty)
    with empty.engine.connect() as connection:
        consents = [tuple(row) for row in connection.execute(text(CONSENTS_OF_NOW))]
        unused = connection.scalar(
            text("select count(*) from oauth_clients where let_in_at is null")
        )
    assert consents == [(ids["member"], True, True, ["read"]), (ids["left"], False, True, ["read"])]
    assert unused == 0


CONSENTS_OF_NOW = """
    select
        user_id,
        revoked_at is null as is_in_force,
        oauth_grants.expires_at = max(oauth_tokens.expires_at) as lasts_as_its_tokens,
        min(oauth_tokens.scopes)
    from oauth_grants
    join oauth_tokens on grant_id = oauth_grants.id
    group by oauth_grants.id
    order by user_id
"""

CONSENTS_OF_OLD = """
    insert into organizations (id, name, created_at, updated_at)
    values (:of, 'Acme', now(), now());

    insert into users (id, email, display_name, created_at, updated_at)
    select id, id::text, 'M', now(), now() from unnest(array[:member, :left]::uuid[]) as id;

    insert into members (organization_id, user_id, role, joined_at)
    values (:of, :member, 'admin', now());

    insert into oauth_clients (id, name, redirect_uris, created_at)
    values (:client, 'Helper', '{}', now());

    insert into oauth_grants
    (id, client_id, organization_id, user_id, scopes, resource, redirect_uri, code_hash,
        code_challenge, code_expires_at, created_at)
    select id, :client, :of, id, '{read}', '', '', sha256(id::text::bytea), '', now(), now()
    from users;

    insert into oauth_tokens (token_hash, grant_id, kind, expires_at)
    select sha256(kind::bytea || id::text::bytea), id, kind, now() + lasts
    from oauth_grants
    cross join (values ('access', interval '1 hour'), ('refresh', interval '30 days'))
        as kinds (kind, lasts)
"""


def test_keys_and_invitations_that_were_there_go_to_who_answers_for_them(
    empty: OperationalStore,
) -> None:
    """0018: by the audit log and, where it does not reach back, by the key that can have made it.

    A admin made `log_1` to act as B, and with it `log_2`, and with that an invitation. G left;
    before the log it made `old_1` to act as H, and with that `old_2`. B and H have no key of their
    own, A has `own`; `first` and C's key came from the command line.
    """
    people = {name: uuid7() for name in "abchg"}
    keys = {name: uuid7() for name in ("own", "first", "old_1", "old_2", "log_1", "log_2", "cli")}
    ids = {"of": uuid7(), "invitation": uuid7(), **people, **keys}
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0017")
        for statement in KEYS_OF_OLD.split(";"):
            connection.execute(text(statement), ids)
    migrate(empty)
    with empty.engine.connect() as connection:
        found = connection.execute(
            text("select id, created_by_user_id, deactivation_reason from api_keys")
        )
        makers = {row.id: (row.created_by_user_id, row.deactivation_reason) for row in found}
        invited = connection.execute(text("select invited_by_user_id, status from invitations"))
        assert tuple(invited.one()) == (people["a"], "pending")
    gone = (people["g"], "key_creator_removed")
    assert makers == {
        keys["own"]: (people["a"], None),
        keys["first"]: (people["a"], None),
        keys["old_1"]: gone,
        keys["old_2"]: gone,
        keys["log_1"]: (people["a"], None),
        keys["log_2"]: (people["a"], None),
        keys["cli"]: (people["c"], None),
    }


KEYS_OF_OLD = """
    insert into organizations (id, name, created_at, updated_at)
    values (:of, 'Acme', now(), now());

    insert into users (id, email, display_name, created_at, updated_at)
    select id, id::text, 'M', now(), now() from unnest(array[:a, :b, :c, :g, :h]::uuid[]) as id;

    insert into members (organization_id, user_id, role, joined_at)
    select :of, id, 'admin', now() from users where id <> :g;

    insert into api_keys
    (id, organization_id, name, key_hash, key_prefix, scopes, acts_as_user_id, created_by_user_id,
        created_at, updated_at)
    select id, :of, '', sha256(id::text::bytea), '', '{admin}', acts_as, made_by, now(), now()
    from (
        values
            (:own, :a, :a), (:first, :a, :a), (:old_1, :h, :g), (:old_2, :h, :h),
            (:log_1, :b, :a), (:log_2, :b, :b), (:cli, :c, :c)
    ) as keys (id, acts_as, made_by);

    insert into invitations
    (id, organization_id, email, role, token_hash, invited_by_user_id, expires_at, created_at,
        updated_at)
    values (:invitation, :of, '', 'admin', sha256(''), :b, now(), now(), now());

    create temporary table logged on commit drop as
    select * from (
        values
            (gen_random_uuid(), 'api_key', :log_1, :own),
            (gen_random_uuid(), 'api_key', :log_2, :log_1),
            (gen_random_uuid(), 'api_key', :cli, null),
            (gen_random_uuid(), 'invitation', :invitation, :log_2)
    ) as logged (id, entity_type, entity_id, made_with);

    insert into audit_entries (id, at, channel, action, ids, organization_id, user_id, api_key_id)
    select id, now(), 'api', 'create', '{}', :of, :b, made_with::uuid from logged;

    insert into change_entries
    (id, audit_entry_id, organization_id, entity_type, entity_id, kind, changed_at, changes)
    select gen_random_uuid(), id, :of, entity_type, entity_id::uuid, 'created', now(), '{}'
    from logged
"""


def test_of_deactivations_at_one_instant_the_longest_stays(empty: OperationalStore) -> None:
    """0019: accounts were idle when they were before, and the change log keeps the rest."""
    go_back_to_deactivations_at_one_instant(empty)
    migrate(empty)
    with empty.engine.connect() as connection:
        stretches = [tuple(row) for row in connection.execute(text(DEACTIVATIONS_OF_NOW))]
        told = connection.scalars(text("select changes -> 'reason' ->> 'from' from change_entries"))
        assert sorted(told) == ["came back at once", "came back at once", "came back earlier"]
    assert stretches == [
        ("came back later", 1, 3),
        ("still", 1, None),
        ("unlike the others", 2, 3),
    ]
    assert differences(empty) == []


DEACTIVATIONS_OF_NOW = """
    select reason, extract(day from deactivated_at)::int, extract(day from reactivated_at)::int
    from account_deactivations
    order by reason
"""
