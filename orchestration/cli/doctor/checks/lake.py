"""Whether the lake can be read, and has what was published."""

from collections.abc import Iterator
from time import monotonic

import duckdb
from sqlalchemy.exc import ProgrammingError

from orchestration.cli.doctor.finding import Finding, Installation, answered, bad, ok, warn
from warehouse.lake.opening import ExtensionsMissingError
from warehouse.lake.reached import Reached, reached
from warehouse.operational.errors import OperationalStoreError
from warehouse.operational.store import store_as_it_is
from warehouse.settings import Settings


def check_lake(installation: Installation) -> Iterator[Finding]:
    """Find a lake that cannot be read, lacks publications, or has shards that are no more."""
    settings = installation.settings
    if settings.lake_path is None:
        return
    try:
        yield from _findings(settings, settings.lake_path)
    except ExtensionsMissingError as missing:
        yield bad("lake", "nothing is brought to it: DuckDB lacks extensions", f"{missing}.")
    except duckdb.Error as error:
        way_out = (
            "See that its files are there, and the bucket can be reached. Where they are lost, "
            "`tracker lake forget` lets the next run make it anew."
        )
        yield bad("lake", f"cannot be read: {error}", way_out)
    except (OperationalStoreError, ProgrammingError):
        return  # check_postgresql says it, also of an earlier schema


def _findings(settings: Settings, path: str) -> Iterator[Finding]:
    with store_as_it_is(settings) as store:
        if store is None:
            return
        began = monotonic()
        state = reached(settings, store, path)
        timing = answered(began)
    if state is None:
        yield warn("lake", "nothing is in it yet", "`tracker publish` brings what was published.")
    else:
        yield from _compared(state, timing)


def _compared(state: Reached, timing: str) -> Iterator[Finding]:
    for shard in state.behind:
        there, as_of = state.lake[shard], state.published[shard].isoformat()
        lake_state = f"as of {there.isoformat()}" if there else "not there"
        way_out = f"Its log says why. Then `tracker publish` with TRACKER_SHARD={shard} brings it."
        yield warn("lake", f"{shard}: {lake_state}, published as of {as_of}", way_out)
    for schema in state.removed:
        lake_state = f"has {schema} of a shard that is no more, whose members count twice"
        yield warn("lake", lake_state, "It goes with the next run of any shard.")
    if not state.behind and not state.removed:
        shards = ", ".join(state.published)
        lake_state = f"{timing}: has the last publications of {shards}"
        yield ok("lake", lake_state)
