"""Databases as earlier versions left them, with rows that the present schema refuses."""

from alembic import command
from sqlalchemy import text

from warehouse.ids import uuid7
from warehouse.operational.migrations import configuration
from warehouse.operational.store import OperationalStore


def go_back_to_deactivations_at_one_instant(empty: OperationalStore) -> None:
    """Make a schema of before 0019, where an account began several deactivations at one instant."""
    only = {"of": uuid7()}
    with empty.engine.begin() as connection:
        command.upgrade(configuration(connection), "0018")
        for statement in DEACTIVATIONS_OF_OLD.split(";"):
            connection.execute(text(statement), only)


DEACTIVATIONS_OF_OLD = """
    insert into organizations (id, name, created_at, updated_at)
    values (:of, 'Acme', now(), now());

    insert into projects (id, organization_id, name, created_at, updated_at)
    values (:of, :of, 'P', now(), now());

    insert into creators (id, organization_id, project_id, created_at, updated_at)
    values (:of, :of, :of, now(), now());

    insert into accounts
    (id, organization_id, project_id, creator_id, platform, handle, created_at, updated_at)
    select gen_random_uuid(), :of, :of, :of, 'tiktok', handle, now(), now()
    from unnest(array['anna', 'ben']) as handle;

    insert into account_deactivations
    (id, organization_id, account_id, deactivated_at, reactivated_at, via_creator, video_choice,
        reason)
    select gen_random_uuid(), :of, accounts.id, make_timestamptz(2026, 5, since, 0, 0, 0, 'UTC'),
        make_timestamptz(2026, 5, until, 0, 0, 0, 'UTC'), false, 'freeze', said
    from accounts
    join (values
        ('anna', 1, 1, 'came back at once'), ('anna', 1, 3, 'came back later'),
        ('anna', 1, 2, 'came back earlier'), ('anna', 2, 3, 'unlike the others'),
        ('ben', 1, 1, 'came back at once'), ('ben', 1, null, 'still')
    ) as stretches (handle, since, until, said) using (handle)
"""
