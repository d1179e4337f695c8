"""The server's secret: what seals cursors, and whatever else must be known to come from here."""

import os
import secrets
import tempfile
from pathlib import Path

from warehouse.settings import Settings

FILE = "secret.key"


def secret_key(settings: Settings) -> bytes:
    """Return the secret of the settings, else of the data folder, made there at the first call.

    Several machines that serve one organization need the setting, or they refuse each other's
    cursors and cannot read what another has encrypted. A lost secret takes that with it.
    """
    if settings.secret_key:
        return settings.secret_key.get_secret_value().encode()
    path = settings.home_path / FILE
    if not path.exists():
        _make(path)
    return path.read_bytes()


def _make(path: Path) -> None:
    """Write a new secret whole, for its owner's eyes, unless another process was first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}-")  # readable by us alone
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(32).encode())
            file.flush()
            os.fsync(file.fileno())
        os.link(name, path)
    except FileExistsError:
        return
    finally:
        os.unlink(name)
