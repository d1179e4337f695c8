"""Ending what members let programs do, in the transaction that takes their own access away."""

from sqlalchemy import ColumnElement, update

from warehouse.clock import system_clock
from warehouse.operational.models import OauthGrant
from warehouse.operational.session import WriteSession


def end_consents(session: WriteSession, *whose: ColumnElement[bool]) -> None:
    """End these consents and all their tokens for good: whoever comes back is asked anew.

    Who may let programs in holds organization, user and membership meanwhile, so call it when one
    of them is held and changed: then no consent is given past it.
    """
    in_force = OauthGrant.revoked_at.is_(None)
    session.execute(update(OauthGrant).where(in_force, *whose).values(revoked_at=system_clock()))
