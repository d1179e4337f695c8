"""PINs of share links and reports: four digits, random unless given, stored encrypted."""

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
    return _DIGITS.fullmatch(text) is not None


def checked_pin(sent: object) -> str:
    """Return the PIN that was sent. Raises InvalidPin for any other value or type."""
    if not isinstance(sent, str) or not is_pin(sent):
        raise InvalidPin
    return sent


Pin = Annotated[
    str,
    BeforeValidator(checked_pin),
    WithJsonSchema({"type": "string", "pattern": "^[0-9]{4}$", "examples": ["4821"]}),
]


def random_pin() -> str:
    return f"{secrets.randbelow(10_000):04d}"


def set_pin(link: Pinned, pin: str, encryption: Encryption) -> None:
    """Set the link's PIN: visitors have to enter it again, and failed attempts are reset."""
    link.pin_encrypted = encryption.encrypt(pin, _PURPOSE)
    link.pin_id = uuid4()
    link.failed_unlocks = 0
    link.locked_until = None


def read_pin(link: Pinned, encryption: Encryption) -> str:
    """Return the link's PIN. Raises UnreadableSecretError."""
    return encryption.decrypt(link.pin_encrypted, _PURPOSE)
