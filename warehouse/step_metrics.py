"""The last results of the pipeline's steps, as files in Prometheus' text format.

`HOME/metrics` holds one file for each step and ending, rewritten each time. The API shows them
under `/metrics`; node_exporter's textfile collector can read them where no API runs. They may be
lost: nothing is computed from them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from prometheus_client import CollectorRegistry, write_to_textfile
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_fd_to_metric_families
from prometheus_client.registry import Collector

from warehouse.clock import system_clock

Ending = Literal["succeeded", "failed", "interrupted"]

BACKUP = "backup"
"""What `tracker backup` notes, beside the pipeline's steps."""
ENDED: Mapping[Ending, str] = {
    "succeeded": "tracker_step_succeeded_timestamp_seconds",
    "failed": "tracker_step_failed_timestamp_seconds",
    "interrupted": "tracker_step_interrupted_timestamp_seconds",
}
DESCRIPTIONS = {
    ENDED["succeeded"]: "When the step last succeeded (Unix time)",
    ENDED["failed"]: "When the step last failed (Unix time)",
    ENDED["interrupted"]: "When a signal last ended the step (Unix time)",
    "tracker_step_seconds": "How long the step took when it last succeeded (seconds)",
    "tracker_asset_rows": "Rows of a table or mart after it was last made",
    "tracker_asset_rows_written": "Rows written when it was last made",
    "tracker_asset_seconds": "How long it took when it was last made (seconds)",
}
"""The description of each metric."""


@dataclass(frozen=True, slots=True)
class AssetMade:
    """What a step reported about an asset it made; None for what it did not report."""

    name: str
    rows: int | None
    rows_written: int | None
    seconds: float | None


def note_success(folder: Path, step: str, seconds: float, made: Iterable[AssetMade]) -> None:
    """Note that a step succeeded just now, its duration and what it made."""
    families = [
        _of_step(ENDED["succeeded"], step, system_clock().timestamp()),
        _of_step("tracker_step_seconds", step, seconds),
        *_of_assets(list(made)),
    ]
    _write(folder, step, "succeeded", families)


def note_failure(
    folder: Path, step: str, ending: Literal["failed", "interrupted"] = "failed"
) -> None:
    _write(folder, step, ending, [_of_step(ENDED[ending], step, system_clock().timestamp())])


def forget_failure(folder: Path, step: str) -> None:
    """Forget that a step failed or was interrupted: nothing is left for it to do."""
    for ending in ("failed", "interrupted"):
        _file(folder, step, ending).unlink(missing_ok=True)


def last_ended(folder: Path, ending: Ending) -> dict[str, datetime]:
    """Return when each step last succeeded or failed here."""
    samples = (sample for metric in noted(folder) for sample in metric.samples)
    return {
        sample.labels["step"]: datetime.fromtimestamp(sample.value, UTC)
        for sample in samples
        if sample.name == ENDED[ending]
    }


def noted(folder: Path) -> Iterator[Metric]:
    """Yield all that is noted, each metric once; nothing before the first step ended."""
    together: dict[str, Metric] = {}
    for file in sorted(folder.glob("*.prom")):
        for family in _read(file):
            known = together.setdefault(family.name, family)
            if known is not family:
                known.samples.extend(family.samples)
    yield from together.values()


def _read(file: Path) -> list[Metric]:
    try:
        with file.open(encoding="utf-8") as text:
            return list(text_fd_to_metric_families(text))
    except ValueError:  # a power cut left half of it: the step's next run writes it again
        return []


def _of_step(name: str, step: str, value: float) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, DESCRIPTIONS[name], labels=["step"])
    family.add_metric([step], value)
    return family


def _of_assets(made: list[AssetMade]) -> Iterator[GaugeMetricFamily]:
    for part in ("rows", "rows_written", "seconds"):
        name = f"tracker_asset_{part}"
        family = GaugeMetricFamily(name, DESCRIPTIONS[name], labels=["asset"])
        for asset in made:
            value = getattr(asset, part)
            if value is not None:
                family.add_metric([asset.name], value)
        if family.samples:
            yield family


class _FixedMetrics(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


def _write(folder: Path, step: str, ending: Ending, families: Iterable[Metric]) -> None:
    folder.mkdir(exist_ok=True)
    registry = CollectorRegistry()
    registry.register(_FixedMetrics(families))
    write_to_textfile(str(_file(folder, step, ending)), registry)
    now = system_clock().timestamp()
    for file in folder.glob(_file(folder, step, "*").name):
        if _noted_at(file) > now:  # by a clock that was ahead: it would hide what happens now
            file.unlink(missing_ok=True)


def _noted_at(file: Path) -> float:
    samples = (sample for family in _read(file) for sample in family.samples)
    return max((each.value for each in samples if each.name in ENDED.values()), default=0)


def _file(folder: Path, step: str, ending: str) -> Path:
    return folder / f"{step.replace(' ', '_')}.{ending}.prom"
