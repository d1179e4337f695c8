"""Lets one process at a time renew a connection's tokens, also after a restart of PostgreSQL.

A restart frees locks, so a row of `leases` names the process until its result is written. What is
left: a crash of PostgreSQL loses the row, and a process that sleeps for SECONDS between reading the
tokens and writing the new ones loses its turn. Only then another one may send the same token.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID, uuid4

from psycopg.errors import LockNotAvailable
from sqlalchemy import delete
from sqlalchemy.exc import OperationalError

from warehouse.operational.models import Lease
from warehouse.operational.store import OperationalStore
from warehouse.shards.lease import acquire

SECONDS = 120
"""Longer than a request, and the wait for PostgreSQL with its result."""


@contextmanager
def sole_renewal(store: OperationalStore, connection_id: UUID) -> Iterator[None]:
    """Read, renew and write the tokens in the block. Raises LockNotAvailable if another one does.

    One left by a killed process ends after SECONDS.
    """
    name, holder = f"renewal {connection_id}", str(uuid4())
    if acquire(store, name, holder, SECONDS) is None:
        raise LockNotAvailable
    try:
        yield
    finally:
        ours = delete(Lease).where(Lease.name == name, Lease.holder == holder)
        with suppress(OperationalError), store.write_session() as session:
            session.execute(ours)
