"""The server's secret, which seals cursors and derives other keys."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from warehouse.landing.folders import make_way, sync
from warehouse.settings import Settings

FILE = "secret.key"


def secret_key(settings: Settings) -> bytes:
    """Return the secret of the settings, else of the data folder, created at the first call.

    Several machines that serve one organization need the setting; otherwise they reject each
    other's cursors and cannot decrypt each other's data. Without the secret, encrypted data is
    lost.
    """
    if key := existing_key(settings):
        return key
    _make(settings.home_path / FILE)
    return (settings.home_path / FILE).read_bytes()


def existing_key(settings: Settings) -> bytes | None:
    """Return the secret of the settings, else of the data folder; None if there is none yet."""
    if settings.secret_key:
        return settings.secret_key.get_secret_value().encode()
    path = settings.home_path / FILE
    return path.read_bytes() if path.exists() else None


def _make(path: Path) -> None:
    """Write a new secret, readable by its owner, unless another process was first.

    It is on disk when this returns.
    """
    make_way(path.parent)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}-")  # readable by us alone
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(32).encode())
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
        sync(path.parent)  # before PostgreSQL has data sealed with it
    finally:
        os.unlink(name)


def derived_key(secret: bytes, use: str, purpose: str) -> bytes:
    """Derive a 32-byte key (RFC 5869). The same arguments give the same key."""
    info = f"{use}\0{purpose}".encode()
    return HKDF(SHA256(), length=32, salt=None, info=info).derive(secret)
