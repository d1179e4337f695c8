"""Which storage the settings ask for."""

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

    Nothing is asked of a bucket yet: whether it can be reached is seen at its first use.
    """
    if settings.s3_bucket is None:
        return FolderStorage(settings.files_path)
    return BucketStorage(open_bucket(settings, settings.s3_bucket, patience=PATIENCE, retries=2))


def open_bucket(
    settings: Settings,
    name: str,
    *,
    prefix: str | None = None,
    patience: timedelta,
    retries: int,
) -> S3Store:
    """Return a bucket at the place of the TRACKER_S3_ settings, or what lies below a prefix in it.

    `patience` bounds a request with those that are tried again, at most `retries` times.
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
    """Return where the bucket is and who asks; without a key, AWS's own ways to find one."""
    config: S3Config = {"region": settings.s3_region}
    if settings.s3_endpoint_url:
        config["endpoint"] = settings.s3_endpoint_url
    if settings.s3_access_key_id and settings.s3_secret_access_key:
        config["access_key_id"] = settings.s3_access_key_id
        config["secret_access_key"] = settings.s3_secret_access_key.get_secret_value()
    return config
