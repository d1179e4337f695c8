"""Encrypts secrets that have to be read again: PINs, payout details, tokens of accounts.

Passwords and API keys do not belong here: only their hashes are stored.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken

from warehouse.secret_key import derived_key

PIN = "share_link.pin"
PAYOUT_DETAILS = "payout_account.details"


class UnreadableSecretError(RuntimeError):
    """The stored bytes were encrypted with another key or for another purpose, or were altered."""


class Encryption:
    """Encrypts texts with keys derived from the server's secret (`secret_key`).

    Each `purpose` (such as `share_link.pin`) has its own key, so that bytes of one purpose cannot
    be used for another.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def encrypt(self, text: str, purpose: str) -> bytes:
        """Return the bytes to store. They differ each time, also for the same text."""
        return self._cipher(purpose).encrypt(text.encode())

    def decrypt(self, stored: bytes, purpose: str) -> str:
        """Return the decrypted text. Raises UnreadableSecretError."""
        try:
            return self._cipher(purpose).decrypt(stored).decode()
        except InvalidToken:
            raise UnreadableSecretError(
                f"cannot decrypt a stored {purpose}: was TRACKER_SECRET_KEY changed?"
            ) from None

    def decrypt_or_none(self, stored: bytes, purpose: str) -> str | None:
        """Return the decrypted text, or None if the secret key has changed since."""
        try:
            return self.decrypt(stored, purpose)
        except UnreadableSecretError:
            return None

    def _cipher(self, purpose: str) -> Fernet:
        key = derived_key(self._secret, "encryption", purpose)
        return Fernet(base64.urlsafe_b64encode(key))
