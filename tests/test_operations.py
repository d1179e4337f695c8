"""Instructions for operators are correct: settings, commands and files of docs/operations exist."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.orchestration.commands import tracker_here
from warehouse.operational.migrations import BEFORE_BASELINE
from warehouse.settings import REPOSITORY, Settings

OPERATIONS = REPOSITORY / "docs" / "operations"
FILES = sorted(path for path in OPERATIONS.rglob("*") if path.is_file())
UNITS = sorted(OPERATIONS.glob("systemd/*.service"))
OF_COMPOSE = {"TRACKER_VERSION"}
"""Variables that only compose.yaml reads."""


def test_every_named_setting_exists() -> None:
    settings = {f"TRACKER_{name.upper()}" for name in Settings.model_fields}
    named = {
        name for file in FILES for name in re.findall(r"\bTRACKER_[A-Z0-9_]+\b", file.read_text())
    }
    assert named - settings - OF_COMPOSE == set()


def test_the_page_names_the_commit_that_upgrades_older_schemas() -> None:
    assert f"`git checkout {BEFORE_BASELINE}`" in (OPERATIONS / "README.md").read_text()


def commands() -> Iterator[tuple[str, ...]]:
    """The arguments of `tracker` in each file."""
    compose = yaml.safe_load((OPERATIONS / "container" / "compose.yaml").read_text())
    for service in compose["services"].values():
        if "creator-tracker" in service["image"]:
            yield tuple(service["command"])
    (workload,) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "tracker.yaml").read_text())
    pod = workload["spec"]["template"]["spec"]
    for container in (*pod["initContainers"], *pod["containers"]):
        yield tuple(container["args"])
    (backup, _) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "backup.yaml").read_text())
    (container,) = backup["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    yield tuple(container["args"])
    for unit in UNITS:
        (command,) = re.findall(r"^ExecStart=\S+/tracker (.*)$", unit.read_text(), re.MULTILINE)
        yield tuple(command.split())


@pytest.mark.parametrize("words", sorted(set(commands())), ids=" ".join)
def test_every_command_exists_in_tracker(words: tuple[str, ...]) -> None:
    ended = tracker_here(*words, "--help", env=dict(os.environ))
    assert ended.returncode == 0, ended.stderr


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"),
    reason="systemd-analyze is not installed (Debian: apt-get install systemd)",
)
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """Except for the command, which is installed elsewhere."""
    for unit in (*UNITS, OPERATIONS / "systemd/tracker-backup.timer"):
        text = re.sub(
            r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE
        )
        (tmp_path / unit.name).write_text(text)
    units = sorted(str(unit) for unit in tmp_path.iterdir())
    ended = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    complaints = [
        line for line in ended.stderr.splitlines() if str(tmp_path) in line or "tracker" in line
    ]
    assert complaints == []


def test_all_units_have_one_filter_of_system_calls() -> None:
    """`tests/orchestration/test_cli.py` runs the pipeline under the same filter."""
    assert (
        len({tuple(re.findall("^SystemCall.*", u.read_text(), re.MULTILINE)) for u in UNITS}) == 1
    )


def test_each_container_has_a_liveness_probe_and_each_pipeline_unit_a_watchdog() -> None:
    (workload,) = yaml.safe_load_all((OPERATIONS / "kubernetes" / "tracker.yaml").read_text())
    for container in workload["spec"]["template"]["spec"]["containers"]:
        probe = container["livenessProbe"]
        if "exec" in probe:  # checks the file that the command touches
            assert f"/tmp/{container['args'][0]}.alive " in probe["exec"]["command"][-1]
        else:
            assert probe["httpGet"]["path"] == "/healthz"
    for name in ("tracker", "tracker-scrape@"):
        assert "\nWatchdogSec=" in (OPERATIONS / f"systemd/{name}.service").read_text()


@pytest.mark.parametrize("name", ["tracker", "tracker-api"])
def test_a_process_that_runs_out_of_memory_stops_no_other(name: str) -> None:
    """By default systemd stops the unit; these replace their processes themselves."""
    unit = (OPERATIONS / f"systemd/{name}.service").read_text()
    assert "\nOOMPolicy=continue\n" in unit


def test_every_file_that_the_page_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", (OPERATIONS / "README.md").read_text())
    assert [link for link in links if not (OPERATIONS / link).exists()] == []
