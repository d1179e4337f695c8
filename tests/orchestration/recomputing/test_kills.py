"""A rebuild is killed (SIGKILL) at its steps, and what was published is served throughout.

Before the new file is complete, the old one is unchanged; afterwards the next pipeline run uses the
new one.
"""

import signal
import subprocess
import sys

import duckdb
import pytest

from orchestration.cli import archive
from orchestration.cli.output import CommandFailed
from orchestration.running import publishing
from tests.factories.history import day, roll_up
from tests.orchestration.commands import environment
from tests.orchestration.recomputing.test_rebuild import contents, served
from warehouse.operational.store import OperationalStore
from warehouse.publication.layout import current_folder
from warehouse.settings import REPOSITORY, Settings

pytestmark = pytest.mark.slow


def kill_at(settings: Settings, step: str, when: str) -> None:
    now = {"TRACKER_NOW": day(2).isoformat()}
    env = environment(settings.home, settings.database_url.get_secret_value(), **now)
    worker = [sys.executable, "-m", "tests.orchestration.recomputing.killed_rebuild", step, when]
    killed = subprocess.run(worker, cwd=REPOSITORY, env=env, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL


def test_a_kill_before_the_new_file_is_whole_changes_nothing(lived: Settings) -> None:
    before, publication = lived.warehouse_path.read_bytes(), served(lived)
    kill_at(lived, "orchestration.running.rebuild:_compute", "before")
    assert lived.warehouse_path.read_bytes() == before
    assert served(lived) == publication


def test_after_a_kill_between_files_and_publication_the_next_run_continues(
    lived: Settings, lived_store: OperationalStore
) -> None:
    before, publication = contents(lived), served(lived)
    kill_at(lived, "orchestration.running.rebuild:publish_run", "before")
    assert served(lived) == publication
    roll_up(lived, lived_store)
    assert contents(lived) == before
    assert served(lived) == publication
    assert list((lived.home / "rebuilding").iterdir()) == []


def full(*_: object, **__: object) -> None:
    raise duckdb.IOException('Could not write file "warehouse.duckdb.wal"')


def test_an_unrecorded_run_reports_its_publication_and_the_next_is_recorded(
    lived: Settings, lived_store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, publication = contents(lived), served(lived)
    folder = current_folder(lived.publications_path)
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "promote", full)
        with pytest.raises(publishing.NotRecordedError, match=r"^published, but not recorded: "):
            roll_up(lived, lived_store)
    assert current_folder(lived.publications_path) != folder
    roll_up(lived, lived_store)
    assert (contents(lived), served(lived)) == (before, publication)
    monkeypatch.setattr(publishing, "publish", full)
    with pytest.raises(duckdb.IOException):
        roll_up(lived, lived_store)


def test_a_rebuild_that_cannot_be_recorded_reports_it(
    lived: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = lived.database_url.get_secret_value()
    for name, value in environment(lived.home, url, TRACKER_NOW=day(2).isoformat()).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(publishing, "promote", full)
    with pytest.raises(CommandFailed, match=r"^Rebuilt and published, but not recorded: "):
        archive.rebuild()
