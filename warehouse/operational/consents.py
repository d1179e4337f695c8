"""Revokes OAuth grants in the transaction that removes a member's access."""

from sqlalchemy import ColumnElement, update

from warehouse.clock import system_clock
from warehouse.operational.models import OauthGrant
from warehouse.operational.session import WriteSession


def end_consents(session: WriteSession, *whose: ColumnElement[bool]) -> None:
    """Revoke these grants and all their tokens. Programs have to ask for consent again.

    Granting locks organization, user and membership, so call this while one of them is locked and
    changed: then no grant is added concurrently.
    """
    in_force = OauthGrant.revoked_at.is_(None)
    session.execute(update(OauthGrant).where(in_force, *whose).values(revoked_at=system_clock()))
