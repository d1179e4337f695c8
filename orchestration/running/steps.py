"""The steps of a run: their names for people, and recording how each ended.

Dagster names steps after assets.
"""

from collections.abc import Iterator, Sequence

from dagster import DagsterEvent, HookContext, HookDefinition, HookExecutionResult

from orchestration.running import metadata
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
    """Return the step's name for people."""
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
            note_failure(settings.metrics_path, step)
    return HookExecutionResult("note_step")


def _made(events: Sequence[DagsterEvent]) -> Iterator[AssetMade]:
    for event in events:
        if event.is_step_materialization:
            made = event.step_materialization_data.materialization
            yield AssetMade(
                "/".join(made.asset_key.path),
                rows=metadata.plain(made, metadata.ROWS),
                rows_written=metadata.plain(made, metadata.ROWS_WRITTEN),
                seconds=metadata.plain(made, metadata.SECONDS),
            )


NOTE_STEP = HookDefinition(
    name="note_step", hook_fn=_note, required_resource_keys={"settings"}, decorated_fn=_note
)
"""A hook of every job: `/metrics` reports what it records."""
