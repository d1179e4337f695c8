"""Which machines serve what others build: asked before anything heavy is loaded."""

from warehouse.operational.store import embedded_path
from warehouse.settings import MAIN_SHARD, Settings
from warehouse.warehouse_lock import up_lock_path


def is_node(settings: Settings) -> bool:
    """Tell whether publications are built elsewhere: there is a bucket, and nothing to build from.

    On the machine that builds there is a warehouse, and before its first pipeline run an embedded
    PostgreSQL, or what `tracker up` locks.
    """
    of_builders = (settings.warehouse_path, embedded_path(settings), up_lock_path(settings))
    return settings.landing_bucket is not None and not any(path.exists() for path in of_builders)


def takes(settings: Settings, shard: str | None) -> bool:
    """Tell whether a shard's publications are built elsewhere, and come here from the bucket."""
    there = settings.of_shard(shard or MAIN_SHARD)
    if there.shard == settings.shard:
        return is_node(settings)
    return settings.landing_bucket is not None and not there.warehouse_path.exists()
