"""The schema's history leads to the models, once, however often and by whomever it is applied."""

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from warehouse.operational.base import Base
from warehouse.operational.store import OperationalStore


def test_models_and_migrations_describe_the_same_schema(store: OperationalStore) -> None:
    with store.engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, Base.metadata) == []
