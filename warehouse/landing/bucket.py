"""The bucket of TRACKER_LANDING_URL, without the code for batches, which servers do not load."""

from datetime import timedelta

from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.opening import open_bucket

PATIENCE = timedelta(seconds=60)
"""Longest time of a request with its retries. No user waits for it."""


def open_landing_bucket(
    settings: Settings, *, patience: timedelta = PATIENCE, retries: int = 5
) -> BucketStorage | None:
    """Return the bucket of TRACKER_LANDING_URL, or None if batches are in folders.

    Makes no request yet: an unreachable bucket shows at its first use.
    """
    if settings.landing_bucket is None:
        return None
    name, prefix = settings.landing_bucket
    bucket = open_bucket(settings, name, prefix=prefix, patience=patience, retries=retries)
    return BucketStorage(bucket)
