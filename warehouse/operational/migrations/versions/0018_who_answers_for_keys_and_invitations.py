"""Keys and invitations made with a key that acts for somebody else are those of that key's maker.

The audit log names the key that each was made with. Of keys older than the log, who made it is
taken for the maker of the key it can only have been made with.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

KEYS = """
    select id, organization_id, acts_as_user_id, created_by_user_id, scopes
    from api_keys
    order by id
"""

MADE_WITH = """
    select change_entries.entity_id, audit_entries.api_key_id
    from change_entries
    join audit_entries on audit_entries.id = change_entries.audit_entry_id
    where change_entries.entity_type = :entity_type
        and change_entries.kind = 'created'
"""

END_KEYS = """
    update api_keys
    set status = 'deactivated', deactivation_reason = 'key_creator_removed'
    where status = 'active'
        and acts_as_user_id <> created_by_user_id
        and not exists (
            select from members
            where members.organization_id = api_keys.organization_id
                and members.user_id = api_keys.created_by_user_id
        )
"""

END_INVITATIONS = """
    update invitations
    set status = 'revoked'
    where status = 'pending'
        and not exists (
            select from members
            where members.organization_id = invitations.organization_id
                and members.user_id = invitations.invited_by_user_id
        )
"""


def upgrade() -> None:
    bind = op.get_bind()
    makers = _makers(bind.execute(sa.text(KEYS)).all(), _made_with("api_key"))
    _write("api_keys", "created_by_user_id", makers)
    invited = {one: makers[key] for one, key in _made_with("invitation").items() if key}
    _write("invitations", "invited_by_user_id", invited)
    bind.execute(sa.text(END_KEYS))
    bind.execute(sa.text(END_INVITATIONS))


def _made_with(entity_type: str) -> Mapping[UUID, UUID | None]:
    """Return with which key each was made; None where the log knows that it was with none."""
    rows = op.get_bind().execute(sa.text(MADE_WITH), {"entity_type": entity_type})
    return {row.entity_id: row.api_key_id for row in rows}


def _makers(
    keys: Sequence[sa.Row[Any]], made_with: Mapping[UUID, UUID | None]
) -> Mapping[UUID, UUID]:
    """Return who answers for each key: who made the one at the beginning of its chain."""
    makers = {key.id: key.created_by_user_id for key in keys}
    older = [key for key in keys if key.id not in made_with]
    for index, key in enumerate(older):
        makers[key.id] = _guessed(key, older[:index], makers)
    for key in keys:
        first = key.id
        while (parent := made_with.get(first)) is not None:
            first = parent
        makers[key.id] = makers[first]
    return makers


def _guessed(key: sa.Row[Any], earlier: Sequence[sa.Row[Any]], makers: Mapping[UUID, UUID]) -> UUID:
    """Return the maker of a key that the log does not know.

    Who is said to have made it could make keys only with an earlier key of theirs. Where all of
    these were others' making, it is the latest one's maker; where one was their own, or there is
    none, it is they.
    """
    able = [
        makers[one.id]
        for one in earlier
        if one.organization_id == key.organization_id
        and one.acts_as_user_id == key.created_by_user_id
        and "admin" in one.scopes
    ]
    own: UUID = key.created_by_user_id
    return able[-1] if able and own not in able else own


def _write(table: str, column: str, makers: Mapping[UUID, UUID]) -> None:
    changed = sa.text(f"update {table} set {column} = :maker where id = :id and {column} <> :maker")  # noqa: S608
    for row_id, maker in makers.items():
        op.get_bind().execute(changed, {"id": row_id, "maker": maker})
