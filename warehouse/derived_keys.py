"""Keys that follow from the server's secret: one for each use and purpose, none tells another."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def derived_key(secret: bytes, use: str, purpose: str) -> bytes:
    """Return the 32 bytes of a key (RFC 5869), the same for the same secret, use and purpose."""
    info = f"{use}\0{purpose}".encode()
    return HKDF(SHA256(), length=32, salt=None, info=info).derive(secret)
