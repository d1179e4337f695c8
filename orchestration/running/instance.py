"""Dagster's own folder, `TRACKER_HOME/dagster`: its settings and its workspace.

It only writes files, so it loads quickly; `postgresql` opens the history.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from warehouse.dagster_settings import sections_of
from warehouse.settings import Settings

LOCATION = "tracker"
SHARD = "tracker/shard"
"""Tag of a run that computes a shard."""
INSTANCE_SETTINGS = {
    "telemetry": {"enabled": False},
    "nux": {"enabled": False},
    "run_coordinator": {
        "module": "dagster.core.run_coordinator",
        "class": "QueuedRunCoordinator",
        "config": {
            "max_concurrent_runs": 6,
            "dequeue_interval_seconds": 1,
            "tag_concurrency_limits": [
                {"key": SHARD, "value": {"applyLimitPerUniqueValue": True}, "limit": 1}
            ],
        },
    },
    "storage": {
        "custom": {"module": "orchestration.running.postgresql", "class": "OwnSchemaStorage"}
    },
    "run_monitoring": {
        "enabled": True,
        "start_timeout_seconds": 120,
        "poll_interval_seconds": 15,
    },
    "sensors": {"use_threads": True, "num_workers": 1},
    "schedules": {"use_threads": True, "num_workers": 1},
    "freshness": {"enabled": True},
    "retention": {
        "schedule": {"purge_after_days": 30},
        "sensor": {"purge_after_days": {"skipped": 1, "success": 30, "failure": 30}},
    },
}
"""Telemetry off: nothing leaves the machine. Skipped sensor ticks (every 5 s) are kept for a day. A
shard's second run waits in the queue, not as a process that waits for the first one's lease.
Sensors tick one after the other, since two at once would both request the same shard's rollup.
"""


def dagster_home(settings: Settings) -> Path:
    """Return Dagster's folder, created and configured."""
    home = settings.home_path / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    own = sections_of(settings.dagster_settings) if settings.dagster_settings else {}
    _write(home / "dagster.yaml", _with_own(INSTANCE_SETTINGS, own))
    return home


def unused_files(settings: Settings) -> list[Path]:
    """Return the folders of a history in files, which versions up to 2.0.0 wrote."""
    home = settings.home_path / "dagster"
    return [home / name for name in ("history", "schedules") if (home / name).exists()]


def _with_own(ours: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Return our settings merged with an operator's; a section with another class wins."""
    return {**ours, **{name: _either(ours.get(name), value) for name, value in own.items()}}


def _either(ours: object, own: object) -> object:
    if not isinstance(ours, Mapping) or not isinstance(own, Mapping):
        return own
    is_another = "class" in own and own["class"] != ours.get("class")
    return own if is_another else _with_own(ours, own)


def write_workspace(settings: Settings, *, port: int) -> Path:
    """Write the workspace that points the daemon and the UI at one code server on loopback.

    Returns the file.
    """
    server = {"host": "127.0.0.1", "port": port, "location_name": LOCATION}
    path = dagster_home(settings) / "workspace.yaml"
    _write(path, {"load_from": [{"grpc_server": server}]})
    return path


def _write(path: Path, content: dict[str, object]) -> None:
    text = json.dumps(content, indent=2) + "\n"  # JSON is YAML too
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
