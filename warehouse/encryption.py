"""What must be kept secret and yet be read again: PINs, payout details, tokens of accounts.

Passwords and API keys do not belong here: nobody reads those again, so only hashes are kept.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken

from warehouse.derived_keys import derived_key


class UnreadableSecretError(RuntimeError):
    """What is stored was encrypted with another secret key, for another purpose, or altered."""


class Encryption:
    """Encrypts texts with keys that follow from the server's secret (`secret_key`).

    Each `purpose` (a name such as `share_link.pin`) has a key of its own, so that what is stored
    in one place cannot be passed off as another's.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def encrypt(self, text: str, purpose: str) -> bytes:
        """Return what to store; the same text never gives the same bytes twice."""
        return self._cipher(purpose).encrypt(text.encode())

    def decrypt(self, stored: bytes, purpose: str) -> str:
        """Return the text that `encrypt` was given. Raises UnreadableSecretError."""
        try:
            return self._cipher(purpose).decrypt(stored).decode()
        except InvalidToken:
            raise UnreadableSecretError(
                f"a stored {purpose} cannot be read: was the secret key changed?"
            ) from None

    def _cipher(self, purpose: str) -> Fernet:
        key = derived_key(self._secret, "encryption", purpose)
        return Fernet(base64.urlsafe_b64encode(key))
