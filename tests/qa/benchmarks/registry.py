"""Registers generated entities in PostgreSQL: a history is made only in the warehouse."""

from typing import Any
from uuid import UUID

from sqlalchemy.dialects import postgresql

from tests.qa.benchmarks.world import World
from warehouse.connection import open_warehouse
from warehouse.operational.models import Account, Campaign, Creator, Video
from warehouse.operational.store import OperationalStore

MODELS = {"creators": Creator, "accounts": Account, "videos": Video, "campaigns": Campaign}


def register(world: World, store: OperationalStore) -> list[UUID]:
    """Copy what the first organization tracks to PostgreSQL; return its creators' ids."""
    organization_id = world.organizations[0].organization_id
    with open_warehouse(world.settings, read_only=True) as warehouse:
        rows_of: dict[str, list[dict[str, Any]]] = {}
        for table in MODELS:
            of_organization = warehouse.execute(
                f"from operational.{table} where organization_id = $id order by id",
                {"id": organization_id},
            )
            names = [column[0] for column in of_organization.description or ()]
            rows_of[table] = [
                dict(zip(names, row, strict=True)) for row in of_organization.fetchall()
            ]
    with store.engine.begin() as connection:
        for table, model in MODELS.items():
            columns = set(model.__table__.columns.keys())
            rows = [
                {name: row[name] for name in columns.intersection(row) if row[name] is not None}
                | {"updated_at": row["created_at"]}
                for row in rows_of[table]
            ]
            connection.execute(postgresql.insert(model).on_conflict_do_nothing(), rows)
    return [row["id"] for row in rows_of["creators"]]
