"""From green marts to what readers see; what was published is done, and waits for nobody."""

from duckdb import DuckDBPyConnection

from warehouse.control import Run, advance
from warehouse.looks.deadlines import keep_deadlines
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import forget
from warehouse.publication.publish import Publication, publish
from warehouse.raw.operational_copy import copied_changes
from warehouse.settings import Settings


def publish_run(
    settings: Settings, store: OperationalStore, connection: DuckDBPyConnection, run: Run
) -> Publication:
    """Publish the marts of a green run, and advance the control table.

    The changes that its operational copy saw need no further rollup. One that is killed before it
    forgets them causes one too many rather than one too few. The ends of the periods under way
    decide when posts are looked at.
    """
    published = publish(
        settings, connection, as_of=run.as_of, first_reading_at=run.first_reading_at
    )
    advance(connection, run)
    with store.write_session() as session:
        forget(session, copied_changes(connection))
        keep_deadlines(session, connection, run.as_of)
    return published
