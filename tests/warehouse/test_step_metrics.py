"""Metrics of pipeline steps: the latest run of each and its rows."""

from pathlib import Path

from warehouse.clock import system_clock
from warehouse.step_metrics import AssetMade, note_failure, note_success, noted

ROWS = "tracker_asset_rows"
SUCCEEDED = "tracker_step_succeeded_timestamp_seconds"
FAILED = "tracker_step_failed_timestamp_seconds"


def values_of(folder: Path) -> dict[tuple[str, str], float]:
    """Return all values by metric and label."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in noted(folder)
        for sample in family.samples
    }


def test_the_last_run_of_each_step_is_reported_with_its_rows(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    note_success(folder, "compute", 9.0, [AssetMade("marts/accounts", 1, 1, 0.1)])
    note_success(folder, "compute", 2.5, [AssetMade("marts/accounts", 7, 3, 0.2)])
    note_success(folder, "ingest", 1.0, [AssetMade("raw/video_snapshots", 40, None, None)])
    values = values_of(folder)
    assert values["tracker_step_seconds", "compute"] == 2.5
    assert values["tracker_step_seconds", "ingest"] == 1.0
    assert values[ROWS, "marts/accounts"] == 7
    assert values["tracker_asset_rows_written", "marts/accounts"] == 3
    assert values[ROWS, "raw/video_snapshots"] == 40
    assert ("tracker_asset_seconds", "raw/video_snapshots") not in values


def test_a_failure_keeps_the_last_success(tmp_path: Path) -> None:
    folder, before = tmp_path / "metrics", system_clock().timestamp()
    note_success(folder, "scrape tiktok", 3.0, [])
    note_failure(folder, "scrape tiktok")
    values = values_of(folder)
    assert before <= values[SUCCEEDED, "scrape tiktok"] <= values[FAILED, "scrape tiktok"]
    assert values["tracker_step_seconds", "scrape tiktok"] == 3.0


def test_each_metric_is_one_family_however_many_steps_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    for step in ("register", "copy", "publish"):
        note_success(folder, step, 1.0, [])
    names = [family.name for family in noted(folder)]
    assert len(names) == len(set(names)) == 2


def test_a_truncated_file_is_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    note_success(folder, "publish", 1.0, [])
    (folder / "copy.succeeded.prom").write_text('tracker_step_seconds{step="co')
    assert ("tracker_step_seconds", "publish") in values_of(folder)


def test_before_the_first_run_there_are_no_metrics(tmp_path: Path) -> None:
    assert list(noted(tmp_path / "metrics")) == []
