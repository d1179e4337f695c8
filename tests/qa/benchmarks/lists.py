"""An organization with very many entities in PostgreSQL."""

from hashlib import md5
from uuid import UUID

import psycopg

from tests.factories.tracking import add_organization
from tests.qa.benchmarks.world import SQL
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore

CREATORS = 10_000
ROWS = 100
"""The minimum number of each entity other than creators and videos."""
VIDEOS_OF_A_CREATOR = 20


def made_id(kind: str, number: int) -> UUID:
    """Return the id that `sql/lists.sql` gives an entity."""
    return UUID(md5(f"{kind}{number}".encode(), usedforsecurity=False).hexdigest())


def make_organization(store: OperationalStore, creators: int, videos: int) -> NewOrganization:
    """Make an organization with very many entities (`sql/lists.sql`)."""
    made = add_organization(store, "Shop")
    sizes = {"creators": creators, "videos": videos, "rows": ROWS}
    fill(store, made, "lists", **sizes)
    return made


def fill(
    store: OperationalStore, organization: NewOrganization, script: str, **parameters: object
) -> None:
    """Run a script of `sql/` for an organization in PostgreSQL."""
    text = (SQL / f"{script}.sql").read_text(encoding="utf-8")
    of = {
        "organization_id": organization.organization_id,
        "project_id": organization.project_id,
    }
    with psycopg.connect(store.dsn, autocommit=True) as connection:
        with connection.transaction(), psycopg.ClientCursor(connection) as cursor:
            cursor.execute(text.encode(), {**of, **parameters})
        connection.execute("vacuum analyze")
