"""PINs of share links and reports: four digits, drawn at random unless given, kept encrypted."""

import re
import secrets
from typing import Annotated
from uuid import uuid4

from pydantic import BeforeValidator, WithJsonSchema

from serving_api.errors import InvalidPin
from warehouse.encryption import Encryption
from warehouse.operational.models import ReportLink, ShareLink

Pinned = ShareLink | ReportLink
"""What a PIN opens."""

_DIGITS = re.compile("[0-9]{4}")
_PURPOSE = "share_link.pin"


def is_pin(text: str) -> bool:
    """Tell whether a text has the form of a PIN."""
    return _DIGITS.fullmatch(text) is not None


def checked_pin(sent: object) -> str:
    """Return what was sent if it is a PIN. Raises InvalidPin for all else, whatever its type."""
    if not isinstance(sent, str) or not is_pin(sent):
        raise InvalidPin
    return sent


Pin = Annotated[
    str,
    BeforeValidator(checked_pin),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{4}$", "examples": ["4821"]}),
]


def random_pin() -> str:
    """Return a new PIN."""
    return f"{secrets.randbelow(10_000):04d}"


def set_pin(link: Pinned, pin: str, encryption: Encryption) -> None:
    """Give the link a PIN: whoever was let in by the one before is out, and tries count anew."""
    link.pin_encrypted = encryption.encrypt(pin, _PURPOSE)
    link.pin_id = uuid4()
    link.failed_unlocks = 0
    link.locked_until = None


def read_pin(link: Pinned, encryption: Encryption) -> str:
    """Return the link's PIN. Raises UnreadableSecretError."""
    return encryption.decrypt(link.pin_encrypted, _PURPOSE)
