"""Which assets run together. Each job runs in one process: steps take less than processes."""

from dagster import AssetSelection
from dagster import define_asset_job as job

from orchestration.defs.scrape.assets import LANDED
from orchestration.partitions import DAYS

_LANDED = AssetSelection.assets(*LANDED)
_COMPUTED = AssetSelection.assets(["control", "run"]).downstream()

pipeline = job(
    "pipeline",
    AssetSelection.all(),
    partitions_def=DAYS,
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
    partitions_def=DAYS,
    description="Everything after the landing zone, up to a new publication.",
)
recompute = job(
    "recompute",
    _COMPUTED,
    partitions_def=DAYS,
    description="Compute and publish alone; over a range of days it is a backfill.",
)

JOBS = (pipeline, scrape, rollup, recompute)
