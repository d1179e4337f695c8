"""A machine that loses its lease while it computes."""

import pytest
from sqlalchemy import text

from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running.publishing import publish_run
from tests.factories.marts import create_marts
from warehouse.control import begin_run
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import current_folder
from warehouse.settings import Settings
from warehouse.shards.lease import LeaseLostError

TAKE = "update leases set fence = fence + 1, holder = 'another' where name = 'shard eu' returning 1"


def test_what_it_computed_is_not_published(settings: Settings, store: OperationalStore) -> None:
    settings = settings.model_copy(update={"shard": "eu"})
    writer = WarehouseWriter(settings, store, print)
    with writer.connection() as connection:
        create_marts(connection)
        run = begin_run(connection, as_of=settings.clock())
        with store.write_session() as session:
            assert session.execute(text(TAKE)).all()
        with pytest.raises(LeaseLostError, match="another builds shard eu now"):
            publish_run(settings, store, connection, run, writer.hold())
        assert current_folder(settings.publications_path) is None
        assert connection.execute("select count(*) from control.published").fetchall() == [(0,)]
    writer.release()
