"""Signs messages by the Standard Webhooks specification, version 1 (symmetric keys).

The signature is HMAC-SHA256 over `id.timestamp.body`, in base64; a header may hold several, so
that receivers can change to another secret at any time. The package of that name would add five
dependencies for these few lines, most of them for the receiving side.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from warehouse.encryption import Encryption, UnreadableSecretError
from warehouse.operational.models import WebhookEndpoint, WebhookEvent

PREFIX = "whsec_"
BYTES = 32
PURPOSE = "webhook_endpoint.secret"
"""The purpose that secrets are encrypted for."""


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(BYTES)).decode()


def secrets_of(endpoint: WebhookEndpoint, encryption: Encryption, now: datetime) -> Sequence[str]:
    """Return the secrets that sign an endpoint's messages now, the current one first.

    Raises UnreadableSecretError for the current one; earlier ones may be what was rotated for that.
    """
    current = encryption.decrypt(endpoint.secret_encrypted, PURPOSE)
    previous, until = endpoint.previous_secret_encrypted, endpoint.previous_secret_expires_at
    if previous is not None and until is not None and now < until:
        with suppress(UnreadableSecretError):
            return [current, *encryption.decrypt(previous, PURPOSE).split()]
    return [current]


def body_of(event: WebhookEvent) -> bytes:
    """Return the body of an event's message: the same bytes each time."""
    payload = {
        "type": event.type,
        "timestamp": event.occurred_at.isoformat(),
        "data": {"organization_id": str(event.organization_id), **event.data},
    }
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def headers_of(
    event_id: UUID, body: bytes, sent_at: datetime, keys: Iterable[str]
) -> dict[str, str]:
    """Return the headers with the message's id, its time, and its signatures."""
    timestamp = str(int(sent_at.timestamp()))
    signatures = (signature(key, str(event_id), timestamp, body) for key in keys)
    return {
        "webhook-id": str(event_id),
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }


def signature(key: str, message_id: str, timestamp: str, body: bytes) -> str:
    secret = base64.b64decode(key.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
