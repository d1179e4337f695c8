"""A key's row with its organization and members, in one statement.

Every request runs it, so it uses psycopg directly: a third of SQLAlchemy's cost. A cached key is
valid while its organization's version is unchanged, since every column except last_used_at changes
the version. `keys` interprets the row.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import TupleRow, class_row

from serving_api.kit.cache import Cache
from warehouse.operational.versions import VERSION
from warehouse.reading.statements import statement

LOOK_UP: Final = statement(__name__, "key_row.sql")


MOST_BYTES = 16 * 2**20
"""Approximate limit of a process's cached rows."""
SECONDS = 3600.0


@dataclass(slots=True)
class KeyRow:
    """A key's row. The role of a former member is empty.

    Platform admin rights require that the key's creator is a platform admin too: an org admin can
    create a key that acts as any member, and must not gain rights beyond the organization.
    """

    id: UUID
    key_name: str
    key_hash: bytes
    status: str
    deactivation_reason: str | None
    expires_at: datetime | None
    last_used_at: datetime | None
    scopes: Sequence[str]
    acts_as_user_id: UUID
    created_by_user_id: UUID
    organization_id: UUID
    organization_name: str
    plan: str
    analytics_tz: str
    is_suspended: bool
    role: str
    own_notes: str | None
    display_name: str
    is_banned: bool
    is_platform_admin: bool
    creator_role: str
    creator_is_banned: bool
    version: int
    """The version of the organization's rows, read together: see `warehouse.operational.versions`.
    """


class KnownKeys(Cache[KeyRow]):
    """Keys by hash, with or without the member's notes."""


def look_up(
    connection: Connection[TupleRow], known: KnownKeys, key_hash: bytes, *, own_notes: bool
) -> KeyRow | None:
    """Return the key with this hash, with the member's notes if requested."""
    key = known.get((key_hash, own_notes))
    if key is not None and key.version == _version_now(connection, key.organization_id):
        return key
    key = _look_up(connection, key_hash, own_notes=own_notes)
    if key is not None:
        weight = 1000 + len(key.own_notes or "")
        known.put((key_hash, own_notes), key, weight=weight, seconds=SECONDS)
    return key


def _version_now(connection: Connection[TupleRow], organization_id: UUID) -> int:
    row = connection.execute(VERSION, {"organization_id": organization_id}).fetchone()
    return int(row[0]) if row else 0


def _look_up(
    connection: Connection[TupleRow], key_hash: bytes, *, own_notes: bool
) -> KeyRow | None:
    with connection.cursor(row_factory=class_row(KeyRow)) as cursor:
        parameters = {"key_hash": key_hash, "own_notes": own_notes}
        return cursor.execute(LOOK_UP, parameters).fetchone()
