"""Stored secrets that the secret key encrypts, and which of them the current key cannot open."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session

from warehouse.connections import storing
from warehouse.encryption import PAYOUT_DETAILS, PIN, Encryption
from warehouse.operational.models import (
    AccountConnection,
    PayoutAccount,
    ReportLink,
    ShareLink,
    WebhookEndpoint,
)
from warehouse.webhooks import signing

SEALED: dict[str, tuple[InstrumentedAttribute[bytes], str]] = {
    "PINs of share links": (ShareLink.pin_encrypted, PIN),
    "PINs of reports": (ReportLink.pin_encrypted, PIN),
    "payout details": (PayoutAccount.details_encrypted, PAYOUT_DETAILS),
    "tokens of connected accounts": (AccountConnection.tokens_encrypted, storing.PURPOSE),
    "webhook secrets": (WebhookEndpoint.secret_encrypted, signing.PURPOSE),
}
"""By what people call it: the column and the purpose of its key. Attempts to connect are left out:
they last minutes."""
WAY_BACK = (
    "Bring back the key that encrypted them (TRACKER_SECRET_KEY, or secret.key in TRACKER_HOME),"
    " or enter them again."
)


def unreadable_kinds(session: Session, encryption: Encryption) -> Iterator[str]:
    """Yield each kind whose oldest row the current key does not open; newer rows may be new."""
    for kind, (column, purpose) in SEALED.items():
        oldest = select(column).order_by(column.class_.updated_at).limit(1)
        sealed = session.scalar(oldest)
        if sealed and encryption.decrypt_or_none(sealed, purpose) is None:
            yield kind
