"""Checks that the lake can be read and has the latest publications."""

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
    """Report a lake that cannot be read, lacks publications, or has removed shards."""
    settings = installation.settings
    if settings.lake_path is None:
        return
    try:
        yield from _findings(settings, settings.lake_path)
    except ExtensionsMissingError as missing:
        yield bad("lake", "not updated: DuckDB lacks extensions", f"{missing}.")
    except duckdb.Error as error:
        way_out = (
            "Check that its files exist and the bucket can be reached. If the files are lost, "
            "`tracker lake forget` lets the next run create it again."
        )
        yield bad("lake", f"cannot be read: {error}", way_out)
    except (OperationalStoreError, ProgrammingError):
        return  # check_postgresql and check_schema report it


def _findings(settings: Settings, path: str) -> Iterator[Finding]:
    with store_as_it_is(settings) as store:
        if store is None:
            return
        began = monotonic()
        state = reached(settings, store, path)
        timing = answered(began)
    if state is None:
        yield warn("lake", "it is empty", "Run `tracker publish` to fill it.")
    else:
        yield from _compared(state, timing)


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
