"""Finds events in a new publication: what the last compared one does not have.

All are logged in one transaction with the publication compared (`webhook_reach`), so a killed
process has logged all or none, and the next one continues from there.
"""

import json
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from uuid import UUID

import duckdb
import structlog
from sqlalchemy import delete, select, text
from sqlalchemy.orm import Session

from warehouse.budgets import reached_thresholds
from warehouse.operational.engines import LIMIT_IDLE
from warehouse.operational.models import WebhookReach
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.publication.info import PublicationInfo, read_info
from warehouse.publication.layout import current_folder, month_file
from warehouse.publication.opening import attach_here
from warehouse.publication.retention import forget_notified_before, note_notified
from warehouse.publication.shared.pointer import is_replaced
from warehouse.publication.sql import quoted_name
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.spilling import spilling_instance
from warehouse.webhooks.before import last_elsewhere, last_here, members_listening, notified_before
from warehouse.webhooks.event import Event
from warehouse.webhooks.log import AT_ONCE, record
from warehouse.webhooks.states import STATES, States

log = structlog.get_logger()

LONGEST_IDLE = "30min"
"""How long one query on publications may take before PostgreSQL ends the transaction.

A stopped process blocks the builder that takes over no longer: it logs the events, this one none.
"""
DATABASES_OF = """
    select database_name from duckdb_databases() where starts_with(database_name, $name)
"""
_NEW = """
    select organization_id, entity_id, state, to_json(data) as data
    from temp.found
    anti join temp.known using (organization_id, entity_id, state)
    order by organization_id, entity_id, state
"""


def notify_of_publication(settings: Settings, store: OperationalStore) -> None:
    """Log the current publication's events, unless already done; failures are logged.

    Serving numbers matters more than events: no failure here stops a run, and the next run tries
    again.
    """
    try:
        folder = current_folder(settings.publications_path)
        if folder is not None:
            with (
                last_here(settings, store, folder) as others,
                store.write_session() as session,
            ):
                is_notified = _notify(settings, session, folder, others)
            if is_notified:
                forget_notified_before(folder)
    except Exception as error:
        log.exception("webhooks_not_told", error=str(error))


def _notify(
    settings: Settings, session: WriteSession, folder: Path, others: Sequence[Path]
) -> bool:
    """Log the events, and return whether the publication's are logged.

    They are not if another machine has taken over the build and published since. Organizations that
    another shard serves by now are left to it: it may have reported later amounts. If some came
    from `others`, this waits until the shards of those have logged what they were comparing; those
    of which they reported a later publication wait for the next one here.
    """
    shard = settings.shard or MAIN_SHARD
    its_own = WebhookReach.shard == shard
    session.execute(text(f"select {LIMIT_IDLE}"), {"idle": LONGEST_IDLE})
    reached = select(WebhookReach.shard, WebhookReach.publication_id).order_by(WebhookReach.shard)
    reached = reached.with_for_update() if others else reached.where(its_own).with_for_update()
    if (shard, UUID(folder.name)) in session.execute(reached).all():
        return True
    has_bucket = settings.landing_bucket is not None
    if has_bucket and is_replaced(session, UUID(folder.name), settings.shard):
        return False
    organizations = members_listening(session, settings)
    if organizations:
        record(session, _events(settings, session, folder, organizations, others))
    session.execute(delete(WebhookReach).where(its_own))
    session.add(WebhookReach(shard=shard, publication_id=UUID(folder.name)))
    note_notified(folder)  # before it is committed: a kill between leaves two that stay
    return True


def _events(
    settings: Settings,
    session: Session,
    now: Path,
    organizations: Sequence[UUID],
    others: Sequence[Path],
) -> Iterator[Event]:
    """Yield the events; for organizations without an earlier publication, only its completion."""
    with spilling_instance(settings) as connection:
        attach_here(connection, now, "now")
        info = _info_of(connection, "now")
        elsewhere = last_elsewhere(settings, session, organizations) if others else {}
        is_later = {each for each, last in elsewhere.items() if last.as_of > info.as_of}
        there = _there(connection, set(organizations) - is_later)
        _listen(connection, there)
        yield from _reached(connection, info.as_of)
        for before in notified_before(settings, session, there, elsewhere, others):
            attach_here(connection, before.folder, "before")
            _listen(connection, before.organizations)
            yield from _Comparison(connection, before.folder, now, info.as_of).events()
            connection.execute("use now")
            for (database,) in connection.execute(DATABASES_OF, {"name": "before"}).fetchall():
                connection.execute(f"detach {quoted_name(database)}")
    yield from (_completed(organization_id, info) for organization_id in there)


def _reached(connection: duckdb.DuckDBPyConnection, as_of: datetime) -> Iterator[Event]:
    try:
        yield from reached_thresholds(connection, as_of)
    except duckdb.CatalogException as lacking:  # other models made it
        log.warning("budgets_not_told", error=str(lacking))


@dataclass(frozen=True)
class _Comparison:
    """Two publications, attached to a connection as `before` and `now`."""

    connection: duckdb.DuckDBPyConnection
    before: Path
    now: Path
    as_of: datetime

    def events(self) -> Iterator[Event]:
        for states in STATES:
            yield from self._events_of(states)

    def _events_of(self, states: States) -> Iterator[Event]:
        since = self._since(states)
        self._store("found", "now", states, since)
        try:
            self._store("known", "before", states, since, "organization_id, entity_id, state")
        except (duckdb.BinderException, duckdb.CatalogException) as lacking:
            # It was made by other models: the next comparison has both.
            log.warning("webhooks_not_compared", type=states.type, error=str(lacking))
            return
        states_now = self.connection.execute(_NEW)
        while rows := states_now.fetchmany(AT_ONCE):
            yield from (self._event(states, row) for row in rows)

    def _store(
        self, table: str, database: str, states: States, since: date, columns: str = "*"
    ) -> None:
        self.connection.execute(f"use {database}")
        parameters = {"since": since} if "$since" in states.query else {}
        self.connection.execute(
            f"create or replace temp table {table} as select {columns} from ({states.query})",  # noqa: S608 (of states.py)
            parameters,
        )

    def _event(self, states: States, row: tuple[UUID, str, str, str]) -> Event:
        organization_id, entity_id, state, data = row
        return Event(
            organization_id=organization_id,
            type=states.type,
            entity_type=states.entity_type,
            entity_id=entity_id,
            state=state,
            occurred_at=self.as_of,
            data=json.loads(data),
            returns_by=states.returns_by,
        )

    def _since(self, states: States) -> date:
        """Return the first day of the states' facts whose rows may differ."""
        if not states.facts:
            return date.min
        moved = _info_of(self.connection, "before").as_of.date() - states.moved_by_time
        return min(moved, *(self._first_changed(fact) for fact in states.facts))

    def _first_changed(self, fact: str) -> date:
        """Return a fact's first month whose file the publications do not share."""
        months = [_months(self.connection, database, fact) for database in ("before", "now")]
        return min(
            (month for month in months[0] | months[1] if not self._is_same(fact, month)),
            default=date.max,
        )

    def _is_same(self, fact: str, month: date) -> bool:
        files = [month_file(folder, fact, month) for folder in (self.before, self.now)]
        return all(file.exists() for file in files) and files[0].samefile(files[1])


def _completed(organization_id: UUID, info: PublicationInfo) -> Event:
    return Event(
        organization_id=organization_id,
        type="publication.completed",
        entity_type="organization",
        entity_id=str(organization_id),
        state=str(info.publication_id),
        occurred_at=info.as_of,
        data={
            "publication_id": str(info.publication_id),
            "as_of": info.as_of.isoformat(),
            "published_at": info.published_at.isoformat(),
        },
    )


def _listen(connection: duckdb.DuckDBPyConnection, organizations: Sequence[UUID]) -> None:
    """Write the organizations to the table `listening`, which all queries of states use."""
    connection.execute(
        "create or replace temp table listening as"
        " select unnest(cast($these as uuid[])) as organization_id",
        {"these": list(organizations)},
    )


def _there(connection: duckdb.DuckDBPyConnection, organizations: Set[UUID]) -> Sequence[UUID]:
    """Return those that the new publication has."""
    rows = connection.execute("select organization_id from now.marts.organizations").fetchall()
    return sorted(organizations & {organization_id for (organization_id,) in rows})


def _info_of(connection: duckdb.DuckDBPyConnection, database: str) -> PublicationInfo:
    connection.execute(f"use {database}")
    return read_info(connection)


def _months(connection: duckdb.DuckDBPyConnection, database: str, fact: str) -> set[date]:
    rows = connection.execute(
        f"select month from {database}.files.months where fact = $fact",  # noqa: S608 (of two)
        {"fact": fact},
    )
    return {month for (month,) in rows.fetchall()}
