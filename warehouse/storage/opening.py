"""Opens the storage that the settings choose."""

from datetime import timedelta
from typing import TYPE_CHECKING

from obstore.store import S3Store

from warehouse.settings import Settings
from warehouse.storage.bucket import PATIENCE, BucketStorage
from warehouse.storage.folder import FolderStorage
from warehouse.storage.storage import Storage

if TYPE_CHECKING:  # obstore has these for type checkers alone
    from obstore.store import S3Config


def open_storage(settings: Settings) -> Storage:
    """Return the bucket of TRACKER_S3_BUCKET, else the folder `files` of the data folder.

    The bucket is not contacted yet: its first use tells whether it can be reached.
    """
    if settings.s3_bucket is None:
        return FolderStorage(settings.files_path)
    return BucketStorage(open_bucket(settings, settings.s3_bucket, patience=PATIENCE, retries=2))


def open_bucket(
    settings: Settings, name: str, *, prefix: str | None = None, patience: timedelta, retries: int
) -> S3Store:
    """Return the bucket of the TRACKER_S3_ settings, or what is below a prefix in it.

    `patience` limits a request including its retries, at most `retries`.
    """
    without_tls = (settings.s3_endpoint_url or "").startswith("http:")
    return S3Store(
        name,
        prefix=prefix,
        config=_config(settings),
        client_options={"allow_http": without_tls, "timeout": patience},
        retry_config={"max_retries": retries, "retry_timeout": patience},
    )


def _config(settings: Settings) -> "S3Config":
    """Return the bucket's location and keys; without a key, AWS's defaults find one."""
    config: S3Config = {"region": settings.s3_region}
    if settings.s3_endpoint_url:
        config["endpoint"] = settings.s3_endpoint_url
    if settings.s3_access_key_id and settings.s3_secret_access_key:
        config["access_key_id"] = settings.s3_access_key_id
        config["secret_access_key"] = settings.s3_secret_access_key.get_secret_value()
    return config
