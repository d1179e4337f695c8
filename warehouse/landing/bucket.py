"""The bucket of TRACKER_LANDING_URL, apart from batches, whose readers servers do not load."""

from datetime import timedelta

from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.opening import open_bucket

PATIENCE = timedelta(seconds=60)
"""How long a request, with those that are tried again, may take: nobody waits for an answer."""


def open_landing_bucket(
    settings: Settings, *, patience: timedelta = PATIENCE, retries: int = 5
) -> BucketStorage | None:
    """Return what has the objects of TRACKER_LANDING_URL, None where batches lie in folders.

    Nothing is asked of it yet: whether it can be reached is seen at its first use.
    """
    if settings.landing_bucket is None:
        return None
    name, prefix = settings.landing_bucket
    bucket = open_bucket(settings, name, prefix=prefix, patience=patience, retries=retries)
    return BucketStorage(bucket)
