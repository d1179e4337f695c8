"""Tells nodes, which serve publications built elsewhere, and what they could not fetch.

The shards whose newest publications could not be fetched are in a small file with their errors. The
thread that follows publications writes it, and any process that answers `/readyz` reads it. Imports
nothing heavy.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from warehouse.operational.store import embedded_path
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.warehouse_lock import up_lock_path


def is_node(settings: Settings) -> bool:
    """Return whether publications are built elsewhere: there is a bucket, and no warehouse here.

    A building machine has a warehouse, or before its first run an embedded PostgreSQL or the lock
    file of `tracker up`.
    """
    of_builders = (settings.warehouse_path, embedded_path(settings), up_lock_path(settings))
    return settings.landing_bucket is not None and not any(path.exists() for path in of_builders)


def takes(settings: Settings, shard: str | None) -> bool:
    """Return whether a shard's publications are built elsewhere and fetched from the bucket."""
    there = settings.of_shard(shard or MAIN_SHARD)
    if there.shard == settings.shard:
        return is_node(settings)
    return settings.landing_bucket is not None and not there.warehouse_path.exists()


def write_not_fetched(settings: Settings, errors: Mapping[str, str]) -> None:
    """Replace the stored errors by these."""
    path = _path(settings)
    if not errors:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".new")
    written.write_text(json.dumps(errors), "utf-8")
    written.replace(path)


def read_not_fetched(settings: Settings) -> dict[str, str]:
    """Return the errors by shard, empty if all were fetched."""
    try:
        errors: dict[str, str] = json.loads(_path(settings).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return errors


def _path(settings: Settings) -> Path:
    return settings.home_path / "publications_not_taken.json"
