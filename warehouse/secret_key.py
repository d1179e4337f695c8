"""The server's secret: what seals cursors, and whatever else must be known to come from here."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from warehouse.landing.folders import make_way, sync
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
    """Write a new secret whole, for its owner's eyes, unless another process was first.

    On disk when this returns.
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
        sync(path.parent)  # whatever is sealed with it is in PostgreSQL sooner than the name here
    finally:
        os.unlink(name)
