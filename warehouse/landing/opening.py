"""Opens the landing zone of the settings."""

from warehouse.landing.bucket import open_landing_bucket
from warehouse.landing.in_bucket import BucketLanding
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.landing import Landing
from warehouse.settings import Settings


def open_landing(settings: Settings) -> Landing:
    """Return the bucket of TRACKER_LANDING_URL, else the folder `landing` of the data folder.

    Makes no request yet: an unreachable bucket shows at its first use.
    """
    here = FolderLanding(settings.landing_path)
    bucket = open_landing_bucket(settings)
    return BucketLanding(bucket, here) if bucket else here
