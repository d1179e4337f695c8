"""Checks that each shard has a worker."""

from collections.abc import Iterator

from sqlalchemy.exc import ProgrammingError

from orchestration.cli.doctor.checks.publication import MB
from orchestration.cli.doctor.checks.warehouse import SLOW_HOURS, STUCK_HOURS
from orchestration.cli.doctor.finding import Finding, Installation, bad, ok, warn
from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is
from warehouse.publication.layout import current_folder
from warehouse.publication.shared.manifest import FOLDER
from warehouse.publication.shared.nodes import is_node
from warehouse.publication.shared.pointer import Pointer, pointer
from warehouse.settings import Settings
from warehouse.shards.listing import ShardStatus, shard_statuses
from warehouse.storage.storage import StorageAwayError


def check_shards(installation: Installation) -> Iterator[Finding]:
    """Report shards that were never published, or whose batches wait too long."""
    try:
        with store_as_it_is(installation.settings) as store:
            if store is None:
                return
            with store.read_session() as session:
                shards = shard_statuses(installation.settings, session)
    except (OperationalStoreError, ProgrammingError):
        return  # check_postgresql and check_schema report it
    yield from map(_finding, shards)


def _finding(shard: ShardStatus) -> Finding:
    message = f"{shard.shard}: {shard.organizations} organizations"
    way_out = f"Start its worker: `TRACKER_SHARD={shard.shard} tracker up`."
    if shard.organizations and shard.as_of is None:
        return warn("shards", f"{message}, no publication yet", way_out)
    hours = shard.behind_hours or 0
    if hours < SLOW_HOURS:
        return ok("shards", f"{message}, {shard.behind} batches behind")
    at_work = f"built by {shard.builder}" if shard.builder else "no worker builds it"
    message = f"{message}, {shard.behind} batches behind for {hours:.1f} h; {at_work}"
    return (bad if hours >= STUCK_HOURS else warn)("shards", message, way_out)


SUBJECT = "publication"


def check_shared(installation: Installation) -> Iterator[Finding]:
    """Report a publication that other machines lack, or that this node has not loaded yet."""
    settings = installation.settings
    if settings.landing_url is None:
        return
    try:
        with store_as_it_is(settings) as store:
            if store is None:
                return
            with store.read_session() as session:
                yield from _of_pointer(settings, pointer(session, settings.shard))
    except (OperationalStoreError, ProgrammingError):
        return  # check_postgresql and check_schema report it


def _of_pointer(settings: Settings, pointed: Pointer | None) -> Iterator[Finding]:
    here = current_folder(settings.publications_path)
    shared = str(pointed.publication_id) if pointed else None
    if (here.name if here else None) == shared:
        if shared:
            yield ok(SUBJECT, f"it is the latest in the bucket{_count_publications(settings)}")
    elif is_node(settings):
        yield warn(
            SUBJECT,
            "the bucket has another one than this machine serves",
            "`tracker serve` loads it within seconds; if not, see its log.",
        )
    else:
        yield warn(
            SUBJECT,
            "the latest is not in the bucket: other machines serve an older one",
            "See the finding on the bucket. `tracker up` retries each minute; `tracker publish` "
            "makes and uploads a new one.",
        )


def _count_publications(settings: Settings) -> str:
    """Return the number and size of the publications of all shards in the bucket."""
    bucket = open_landing_bucket(settings)
    if bucket is None:
        return ""
    try:
        files = list(bucket.files(FOLDER))
    except StorageAwayError:
        return ""  # check_bucket reports it
    manifests = sum(file.path.endswith(".json") for file in files)
    return f"; {manifests:,} stored there, {sum(file.size for file in files) / MB:,.0f} MB"
