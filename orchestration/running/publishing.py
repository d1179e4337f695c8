"""Publishes the marts of a green run, and what follows a publication."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from duckdb import DuckDBPyConnection
from duckdb import Error as DuckDBError
from psycopg import Error as PsycopgError
from sqlalchemy.exc import SQLAlchemyError

from orchestration.building.manifests import earning_statements
from warehouse.control import Run, promote
from warehouse.fetch_schedule.deadlines import replace_deadlines
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import forget
from warehouse.publication.layout import current_folder
from warehouse.publication.publish import Publication, publish
from warehouse.publication.shared.sending import authorize, share
from warehouse.raw.copied_shard import copied_members
from warehouse.raw.operational_copy import copied_changes
from warehouse.settings import Settings
from warehouse.shards.lease import Lease
from warehouse.shards.serving import hand_over
from warehouse.webhooks.comparing import notify_of_publication


class NotRecordedError(Exception):
    """The publication is current, but the run is not recorded. The message says what follows."""


@contextmanager
def _published_or_not(settings: Settings) -> Iterator[None]:
    """Raise NotRecordedError if a write fails once readers have the new publication."""
    before = current_folder(settings.publications_path)
    try:
        yield
    except (DuckDBError, OSError, PsycopgError, SQLAlchemyError) as error:
        current = current_folder(settings.publications_path)
        if current is None or current == before:
            raise
        raise NotRecordedError(
            f"published, but not recorded: {current.name} is served, and the next run computes its"
            f" changes again, records them and notifies webhooks ({error})"
        ) from error


def publish_run(
    settings: Settings,
    store: OperationalStore,
    connection: DuckDBPyConnection,
    run: Run,
    lease: Lease,
    *,
    unsound: frozenset[str] = frozenset(),
) -> Publication:
    """Publish the marts of a green run, and promote the run in the control table.

    Tables in `unsound` stay as published. Changes in the operational copy need no further rollup:
    if killed before clearing them, this causes one redundant rollup, never a missing one. Ends of
    current periods become deadlines of the fetch schedule. Webhooks are notified, first of
    publications that a killed process did not report. Other machines serve the publication once it
    is in the bucket. Raises LeaseLostError, without changing what is served, if another machine has
    taken over the build, and NotRecordedError.
    """
    notify_of_publication(settings, store)
    members = copied_members(connection)
    with _published_or_not(settings):
        published = publish(
            settings,
            connection,
            as_of=run.as_of,
            first_reading_at=run.first_reading_at,
            earning=earning_statements(run),
            unsound=unsound,
            authorize=partial(authorize, settings, store, lease, members),
        )
        promote(connection, run)
        with store.write_session() as session:
            lease.require(session)
            if settings.landing_bucket is None:  # with a bucket, after the upload
                hand_over(session, settings.shard, members)
            forget(session, copied_changes(connection), settings.shard)
            replace_deadlines(session, connection, run.as_of)
    share(settings, store, published.info, lease)
    notify_of_publication(settings, store)
    return published
