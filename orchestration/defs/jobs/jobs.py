"""Which assets run together. Each job runs in one process: steps take less than processes."""

from dagster import AssetSelection
from dagster import define_asset_job as job

from orchestration.defs.scrape.assets import LANDED

_LANDED = AssetSelection.assets(*LANDED)
_COMPUTED = AssetSelection.assets(["control", "run"]).required_multi_asset_neighbors().downstream()

pipeline = job(
    "pipeline",
    AssetSelection.all(),
    description="One whole pass: scrape, register, copy, ingest, compute, publish.",
)
scrape = job(
    "scrape",
    _LANDED,
    description="Look at the platforms and land what they show; the rollup follows by sensor.",
)
rollup = job(
    "rollup",
    AssetSelection.all() - _LANDED,
    description="Everything after the landing zone, up to a new publication.",
)
recompute = job(
    "recompute",
    _COMPUTED,
    description="Compute and publish alone; over a range of days it is a backfill.",
)

JOBS = (pipeline, scrape, rollup, recompute)
