"""Tells nodes, which serve publications built elsewhere. Imports nothing heavy."""

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
