"""Which assets run together. Each job runs in one process: steps take less than processes."""

from functools import partial

from dagster import AssetSelection, RunConfig, define_asset_job

from orchestration.defs.scrape.assets import LANDED
from orchestration.defs.scrape.comments import COMMENTS
from orchestration.running.steps import NOTE_STEP
from orchestration.scraping.scrape_asset import SweepConfig
from orchestration.scraping.worker import Scope

job = partial(define_asset_job, hooks={NOTE_STEP})

_LANDED = AssetSelection.assets(*LANDED)
_COMMENTS = AssetSelection.assets(COMMENTS)
_COMPUTED = AssetSelection.assets(["control", "run"]).required_multi_asset_neighbors().downstream()

pipeline = job(
    "pipeline",
    AssetSelection.all(),
    description="One whole pass: scrape, register, copy, ingest, compute, publish.",
)
pipeline_without_comments = job(
    "pipeline_without_comments",
    AssetSelection.all() - _COMMENTS,
    description="A whole pass that leaves comments for another time: they take the most requests.",
)
scrape = job(
    "scrape",
    _LANDED,
    description="Look at the platforms and land what they show; the rollup follows by sensor.",
)
comments = job(
    "comments",
    _COMMENTS,
    description="Walk through the comments that are due; the rollup follows by sensor.",
)
rollup = job(
    "rollup",
    AssetSelection.all() - _LANDED - _COMMENTS,
    description="Everything after the landing zone, up to a new publication.",
)
recompute = job(
    "recompute",
    _COMPUTED,
    description="Compute and publish alone; over a range of days it is a backfill.",
)

JOBS = (pipeline, pipeline_without_comments, scrape, comments, rollup, recompute)


def scraping(scope: Scope) -> RunConfig:
    """Return what tells a run of `scrape` what to look at."""
    ops = {key.to_python_identifier(): SweepConfig(scope=scope) for key in LANDED}
    return RunConfig(ops=ops)
