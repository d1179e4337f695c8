"""The steps of a run in Dagster: names for people, metadata, asset specs, and how each ended.

Dagster names steps after assets. Metadata values are plain numbers, strings or lists of them; the
CLI and the sensors read them back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dagster import (
    AssetKey,
    AssetMaterialization,
    AssetSpec,
    DagsterEvent,
    DagsterExecutionInterruptedError,
    HookContext,
    HookDefinition,
    HookExecutionResult,
    MetadataValue,
    TableColumn,
    TableColumnConstraints,
    TableSchema,
)
from dagster_shared.error import SerializableErrorInfo

from warehouse.catalogue.table import Column, Table
from warehouse.platforms import PLATFORMS
from warehouse.settings import Settings
from warehouse.step_metrics import AssetMade, note_failure, note_success

STEPS = {
    **{f"landing__{platform}": f"scrape {platform}" for platform in PLATFORMS},
    "landing__comments": "collect comments",
    "postgres__registry": "register",
    "operational_copy": "copy",
    "ingestion": "ingest",
    "comment_scoring": "score comments",
    "dbt": "compute",
    "publication": "publish",
    "sharing": "share",
    "publications__current_accounts_are_fresh": "check freshness",
}


def title_of(step_key: str | None) -> str:
    return STEPS.get(step_key or "", step_key or "start")


def _note(context: HookContext, events: Sequence[DagsterEvent]) -> HookExecutionResult:
    """Record how a step ended (warehouse.step_metrics)."""
    settings: Settings = context.resources.settings
    step = title_of(context.step_key)
    for event in events:
        if event.is_step_success:
            seconds = event.step_success_data.duration_ms / 1000
            note_success(settings.metrics_path, step, seconds, _made(events))
        elif event.is_step_failure:
            is_stop = was_interrupted(event.step_failure_data.error)
            note_failure(settings.metrics_path, step, "interrupted" if is_stop else "failed")
    return HookExecutionResult("note_step")


def was_interrupted(error: SerializableErrorInfo | None) -> bool:
    """Return whether a signal ended the step, such as that of Ctrl-C."""
    name = DagsterExecutionInterruptedError.__name__
    return any(cause.cls_name == name for cause in causes(error))


def causes(error: SerializableErrorInfo | None) -> Iterator[SerializableErrorInfo]:
    """Yield the error, its cause, and so on to the root cause."""
    while error:
        yield error
        error = error.cause


def _made(events: Sequence[DagsterEvent]) -> Iterator[AssetMade]:
    for event in events:
        if event.is_step_materialization:
            made = event.step_materialization_data.materialization
            yield AssetMade(
                "/".join(made.asset_key.path),
                rows=plain(made, ROWS),
                rows_written=plain(made, ROWS_WRITTEN),
                seconds=plain(made, SECONDS),
            )


NOTE_STEP = HookDefinition(
    name="note_step", hook_fn=_note, required_resource_keys={"settings"}, decorated_fn=_note
)
"""A hook of every job: `/metrics` reports what it records."""


FETCHES = "fetches"
OUTCOMES = "outcomes"
PROFILES = "profiles"
POSTS = "posts"
COMMENTS = "comments"
BATCHES = "batches"
ROWS = "dagster/row_count"
ROWS_WRITTEN = "rows_written"
BYTES = "bytes"
SECONDS = "seconds"
TESTS = "tests"
FAILING_TESTS = "failing_tests"
SLOWEST = "slowest_models"
PUBLICATION = "publication_id"
AS_OF = "as_of"
PATH = "path"


def plain(materialization: AssetMaterialization, key: str) -> Any:
    """Return one value of a materialization as plain Python, None if missing."""
    value: MetadataValue[Any] | None = materialization.metadata.get(key)
    return None if value is None else value.value


def summed(parts: list[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, count in part.items():
            total[name] = total.get(name, 0) + count
    return total


def key_of(table: Table) -> AssetKey:
    """Return the asset of a table, e.g. raw/video_snapshots."""
    return AssetKey([table.schema, table.name])


def spec_of(
    table: Table, *, deps: Iterable[AssetKey], group_name: str, kinds: frozenset[str] = frozenset()
) -> AssetSpec:
    columns = TableSchema(columns=[_column(column) for column in table.columns])
    return AssetSpec(
        key_of(table),
        deps=list(deps),
        group_name=group_name,
        kinds={"duckdb", *kinds},
        description=f"{table.means} Changes: {table.change.value}.",
        metadata={"dagster/column_schema": columns},
    )


def _column(column: Column) -> TableColumn:
    return TableColumn(
        column.name,
        column.type,
        description=column.means or None,
        constraints=TableColumnConstraints(nullable=column.nullable),
    )
