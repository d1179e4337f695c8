"""Zone names are those of the IANA database, on every machine alike."""

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from warehouse.zones import UnknownZoneError, require_zone, zone_names

BERLIN = """
from datetime import date
from warehouse.zones import start_of
print(start_of(date(2026, 1, 1), "Europe/Berlin"))
"""


def test_the_zones_of_a_machine_move_no_day(tmp_path: Path) -> None:
    """Else an update of the operating system moves views between days that were computed."""
    (tmp_path / "Europe").mkdir()
    other = files("tzdata.zoneinfo.Asia") / "Tokyo"
    (tmp_path / "Europe" / "Berlin").write_bytes(other.read_bytes())
    env = {**os.environ, "PYTHONTZPATH": str(tmp_path)}
    printed = subprocess.run(
        [sys.executable, "-c", BERLIN], env=env, capture_output=True, check=True
    )
    assert printed.stdout.decode().split()[:2] == ["2025-12-31", "23:00:00+00:00"]


def test_every_name_is_a_zone_that_python_knows() -> None:
    assert {"UTC", "Europe/Berlin", "Asia/Kathmandu", "US/Pacific"} <= zone_names()
    assert all(ZoneInfo(name).key == name for name in zone_names())


@pytest.mark.parametrize(
    "name", ["", "utc", "Europe", "localtime", "posixrules", "/etc/localtime", "UTC\x00", "+02:00"]
)
def test_what_only_looks_like_a_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownZoneError) as refusal:
        require_zone(name)
    assert repr(name) in str(refusal.value)
