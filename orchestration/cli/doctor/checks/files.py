"""Whether icons and receipts can be had from where they are kept."""

from collections.abc import Iterator

from orchestration.cli.doctor.finding import Finding, Installation, bad, ok
from warehouse.storage.opening import open_storage
from warehouse.storage.storage import StorageAwayError

NEVER_PUT = "doctor"


def check_files(installation: Installation) -> Iterator[Finding]:
    """Find a bucket, or a folder, that does not answer us."""
    settings = installation.settings
    where = f"bucket {settings.s3_bucket}" if settings.s3_bucket else str(settings.files_path)
    try:
        open_storage(settings).find(NEVER_PUT)
    except StorageAwayError as away:
        way_out = (
            "Look at the TRACKER_S3_ settings; the key has to list, get, put and delete objects."
            if settings.s3_bucket
            else "Give the folder back to the user that runs the service."
        )
        yield bad("files", f"{where} cannot be used: {away}", way_out)
    else:
        yield ok("files", f"icons and receipts are kept in {where}")
