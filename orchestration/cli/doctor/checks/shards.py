"""Checks shards: whether each has a worker, what they share, and that the lake has their latest."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from uuid import UUID

import duckdb
from sqlalchemy.orm import Session

from orchestration.cli.doctor.checks.publication import MB
from orchestration.cli.doctor.checks.warehouse import SLOW_HOURS, STUCK_HOURS
from orchestration.cli.doctor.finding import Finding, Installation, answered, bad, ok, warn
from warehouse.lake.opening import ExtensionsMissingError
from warehouse.lake.reached import Reached, reached
from warehouse.landing.bucket import open_landing_bucket
from warehouse.operational.models import SharedPublication
from warehouse.publication.layout import current_folder
from warehouse.publication.shared.manifest import FOLDER
from warehouse.publication.shared.nodes import is_node
from warehouse.publication.shared.pointer import Pointer, pointer
from warehouse.settings import Settings
from warehouse.shards.weighing import ShardStatus, shard_statuses
from warehouse.storage.storage import StorageAwayError


def check_shards(installation: Installation) -> Iterator[Finding]:
    """Report shards that were never published, or whose batches wait too long."""
    with installation.session() as session:
        shards = shard_statuses(installation.settings, session)
    yield from map(_finding, shards)


def _finding(shard: ShardStatus) -> Finding:
    message = f"{shard.shard}: {shard.organizations} organizations"
    way_out = f"Start `tracker up`, or run `TRACKER_SHARD={shard.shard} tracker run`."
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
    if settings.landing_url is not None:
        with installation.session() as session:
            yield from _of_pointer(settings, session)


def _of_pointer(settings: Settings, session: Session) -> Iterator[Finding]:
    here, pointed = current_folder(settings.publications_path), pointer(session, settings.shard)
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
    elif pointed and not _is_to_share(session, here, pointed):
        yield warn(
            SUBJECT,
            "another machine published later, or this publication was relocated",
            "The next run here makes and uploads a newer one: `tracker run --no-scrape`.",
        )
    else:
        yield warn(
            SUBJECT,
            "the latest is not in the bucket: other machines serve an older one",
            "See the finding on the bucket. `tracker up` retries each minute; `tracker publish` "
            "makes and uploads a new one.",
        )


def _is_to_share(session: Session, here: Path | None, pointed: Pointer) -> bool:
    """Return whether this machine's last publication was made after the shared one."""
    made = session.get(SharedPublication, UUID(here.name)) if here else None
    return made is not None and made.position > pointed.position


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


def check_lake(installation: Installation) -> Iterator[Finding]:
    """Report a lake that cannot be read, lacks publications, or has removed shards."""
    settings = installation.settings
    if settings.lake_path is None:
        return
    try:
        began = monotonic()
        with installation.store() as store:
            state = reached(settings, store, settings.lake_path)
        if state is None:
            yield warn("lake", "it is empty", "Run `tracker publish` to fill it.")
        else:
            yield from _compared(state, answered(began))
    except ExtensionsMissingError as missing:
        yield bad("lake", "not updated: DuckDB lacks extensions", f"{missing}.")
    except duckdb.Error as error:
        way_out = (
            "Check that its files exist and the bucket can be reached. If the files are lost, "
            "`tracker lake forget` lets the next run create it again."
        )
        yield bad("lake", f"cannot be read: {error}", way_out)


def _compared(state: Reached, timing: str) -> Iterator[Finding]:
    for shard in state.behind:
        there, as_of = state.lake[shard], state.published[shard].isoformat()
        lake_state = f"as of {there.isoformat()}" if there else "missing"
        way_out = f"See the shard's log. Then run `TRACKER_SHARD={shard} tracker publish`."
        yield warn("lake", f"{shard}: {lake_state}, published as of {as_of}", way_out)
    for schema in state.removed:
        lake_state = f"has {schema} of a removed shard, whose members count twice"
        yield warn("lake", lake_state, "The next run of any shard removes it.")
    if not state.behind and not state.removed:
        shards = ", ".join(state.published)
        lake_state = f"{timing}: has the latest publications of {shards}"
        yield ok("lake", lake_state)
