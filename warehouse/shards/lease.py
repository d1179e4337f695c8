"""The right of one of several machines to write and publish a shard's warehouse.

`warehouse_lock` separates the processes of one machine. Machines have their own data folders, so a
row of PostgreSQL decides between them: it names the builder, expires unless renewed, and counts
each acquisition. It never uses a machine's clock. A process that was stopped, or cut off from
PostgreSQL, for longer than its lease lasts may continue computing, but its results are not
published.
"""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from warehouse.landing.folders import make_way, write_file
from warehouse.operational.leases import MACHINE_SECONDS
from warehouse.operational.store import OperationalStore
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.warehouse_lock import lock_path

log = structlog.get_logger(__name__)

OF_SHARD = "shard "
"""Prefix of a lease's name, before the shard's name."""
RENEWED_EVERY_SECONDS = 15.0
POLL_SECONDS = 1.0
"""How often a waiting machine looks whether the builder is done."""

ACQUIRE = """
    insert into leases (name, holder, fence, expires_at)
    values (:name, :holder, 1, clock_timestamp() + make_interval(secs => :lasts))
    on conflict (name) do update set
        holder = excluded.holder, fence = leases.fence + 1,
        expires_at = clock_timestamp() + make_interval(secs => :lasts)
    where leases.expires_at <= clock_timestamp() or leases.fence = :left
    returning fence
"""
SHORTEN = """
    update leases set expires_at = clock_timestamp() + make_interval(secs => :lasts)
    where name = :name and expires_at > clock_timestamp() + make_interval(secs => :lasts)
"""
"""A later end was written while PostgreSQL's clock was ahead. A live holder renews it in time."""
EXTEND = """
    update leases set expires_at = clock_timestamp() + make_interval(secs => :lasts)
    where name = :name and fence = :fence
"""
LOCK = "select fence, holder from leases where name = :name for update"
"""Before SHORTEN and EXTEND: an update computes its values before it waits for a row."""


class LeaseLostError(Exception):
    """Another machine builds this shard now: what was computed here is not published."""


@dataclass(frozen=True)
class Lease:
    """An acquired lease; `fence` numbers the acquisitions.

    It is None if no other machine could write: such a lease is never lost.
    """

    name: str
    fence: int | None

    def require(self, session: Session) -> None:
        """Hold the lease until the session's transaction ends. Raises LeaseLostError.

        An expired lease is valid until another process acquires it.
        """
        if self.fence is None:
            return
        row = session.execute(text(LOCK), {"name": self.name}).one_or_none()
        if row is None or row.fence != self.fence:
            holder = row.holder if row else "somebody else"
            raise LeaseLostError(
                f"{holder} builds {self.name} now, as this process did not renew its lease for "
                f"{MACHINE_SECONDS} s: nothing of this run is published, the next one continues"
            )


@contextmanager
def lease(
    settings: Settings, store: OperationalStore, on_wait: Callable[[str], None] | None = None
) -> Iterator[Lease]:
    """Hold the lease of the shard in `settings`; wait while another machine has it.

    The caller holds `warehouse_lock`, so a lease left by a killed process of this data folder is
    taken over at once. `on_wait` is called once before waiting, with a message that names the
    holder. Without a bucket and without shards only one machine writes, and PostgreSQL is not
    asked.
    """
    name, left = lease_name(settings.shard), lock_path(settings).with_suffix(".fence")
    if settings.landing_bucket is None and settings.shard is None:
        yield Lease(name, None)
        return

    def say_who(holder: str) -> None:
        if on_wait is not None:
            on_wait(f"waiting for {name}, which {holder} is building")

    with held(store, name, left, say_who) as acquired:
        yield acquired


@contextmanager
def held(
    store: OperationalStore, name: str, left: Path, on_wait: Callable[[str], None]
) -> Iterator[Lease]:
    """Hold the lease `name`; wait while another process has it.

    Processes of one data folder call this one at a time: its file `left` has the number of the last
    acquisition, so one left by a killed process is taken over at once. `on_wait` is called once
    before waiting, with the holder.
    """
    acquired = Lease(name, _acquire_in_time(store, name, _left(left), on_wait))
    make_way(left.parent)
    write_file(left, str(acquired.fence))
    ended = Event()
    renewing = Thread(target=_renew, args=(store, acquired, ended), name="lease", daemon=True)
    renewing.start()
    try:
        yield acquired
    finally:
        ended.set()
        renewing.join()
        with suppress(SQLAlchemyError):  # PostgreSQL is away: it ends by itself
            _extend(store, acquired, 0)


def lease_name(shard: str | None) -> str:
    return f"{OF_SHARD}{shard or MAIN_SHARD}"


def _left(file: Path) -> int | None:
    """Return the number of this data folder's last acquisition, None if unknown."""
    try:
        return int(file.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        return None


def _acquire_in_time(
    store: OperationalStore, name: str, left: int | None, on_wait: Callable[[str], None]
) -> int:
    """Return the number of this acquisition, after waiting for it."""
    holder = f"{socket.gethostname()}, process {os.getpid()}"
    is_waiting = False
    while (fence := acquire(store, name, holder, MACHINE_SECONDS, left)) is None:
        if not is_waiting:
            on_wait(_holder(store, name))
        is_waiting = True
        time.sleep(POLL_SECONDS)
    return fence


def acquire(
    store: OperationalStore, name: str, holder: str, lasts: int, left: int | None = None
) -> int | None:
    """Return the number of this acquisition, or None while another holder has the lease."""
    parameters = {"name": name, "holder": holder, "lasts": lasts, "left": left}
    with store.write_session() as session:
        session.execute(text(LOCK), parameters)
        session.execute(text(SHORTEN), parameters)
        fence: int | None = session.execute(text(ACQUIRE), parameters).scalar_one_or_none()
        return fence


def _holder(store: OperationalStore, name: str) -> str:
    with store.read_session() as session:
        return str(session.scalar(text("select holder from leases where name = :n"), {"n": name}))


def _renew(store: OperationalStore, acquired: Lease, ended: Event) -> None:
    """Renew a lease until the end or until another machine has it; log that, and failures.

    It may expire while PostgreSQL is unreachable.
    """
    while not ended.wait(RENEWED_EVERY_SECONDS):
        try:
            if not _extend(store, acquired, MACHINE_SECONDS):
                log.error("another machine builds meanwhile", lease=acquired.name)
                return
        except SQLAlchemyError as away:
            log.warning("the lease could not be renewed", lease=acquired.name, error=str(away))


def _extend(store: OperationalStore, acquired: Lease, lasts: int) -> bool:
    """Let the lease last for some seconds from now; return False if it was lost."""
    with store.write_session() as session:
        parameters = {"name": acquired.name, "fence": acquired.fence, "lasts": lasts}
        session.execute(text(LOCK), parameters)
        return session.connection().execute(text(EXTEND), parameters).rowcount > 0
