"""Keys derived from the server's secret, one per use and purpose."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def derived_key(secret: bytes, use: str, purpose: str) -> bytes:
    """Derive a 32-byte key (RFC 5869). The same arguments give the same key."""
    info = f"{use}\0{purpose}".encode()
    return HKDF(SHA256(), length=32, salt=None, info=info).derive(secret)
