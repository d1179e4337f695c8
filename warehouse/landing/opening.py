"""Which landing zone the settings ask for."""

from datetime import timedelta

from warehouse.landing.in_bucket import BucketLanding
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.landing import Landing
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.opening import open_bucket

PATIENCE = timedelta(seconds=60)
"""How long a request, with those that are tried again, may take: nobody waits for an answer."""


def open_landing(settings: Settings) -> Landing:
    """Return the bucket of TRACKER_LANDING_URL, else the folder `landing` of the data folder.

    Nothing is asked of a bucket yet: whether it can be reached is seen at its first use.
    """
    here = FolderLanding(settings.landing_path)
    bucket = open_landing_bucket(settings)
    return BucketLanding(bucket, here) if bucket else here


def open_landing_bucket(settings: Settings) -> BucketStorage | None:
    """Return what has the objects of TRACKER_LANDING_URL, None where batches lie in folders."""
    if settings.landing_bucket is None:
        return None
    name, prefix = settings.landing_bucket
    return BucketStorage(open_bucket(settings, name, prefix=prefix, patience=PATIENCE, retries=5))
