"""The rendered project: a build uses one state of it throughout."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree, rmtree
from subprocess import CompletedProcess

import pytest

from orchestration.building import manifests, rendering
from warehouse import models_version


@pytest.fixture
def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the rendered project, which this process reads again."""
    rendering.read_project()
    folder = tmp_path / "rendered"
    copytree(rendering.RENDERED, folder)
    monkeypatch.setattr(rendering, "RENDERED", folder)
    manifests.manifest_json.cache_clear()
    yield folder
    manifests.manifest_json.cache_clear()


def test_a_build_goes_on_with_its_sql_while_the_project_is_rendered_again(rendered: Path) -> None:
    """Otherwise two versions of the SQL would each compute half of the amounts."""
    nodes = manifests.manifest_json()["nodes"].values()
    files = {
        path.relative_to(rendered).as_posix(): path.read_text() for path in rendered.rglob("*.sql")
    }
    rmtree(rendered)
    read = {
        manifests.rendered(node["unique_id"], is_full=is_full)
        for node in nodes
        for is_full in (True, False)
    }
    assert read == {sql.strip() for name, sql in files.items() if ".delete." not in name}
    for node in nodes:
        if node["resource_type"] == "model":
            assert manifests.statements(node["unique_id"], is_full=False)


def test_a_project_cut_off_by_a_power_failure_is_rendered_again(
    rendered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (rendered / "project.json").read_bytes()
    (rendered / "project.json").write_bytes(whole[:1000])

    def render(*_: object, **__: object) -> CompletedProcess[str]:
        (rendered / "project.json").write_bytes(whole)
        return CompletedProcess([], 0)

    monkeypatch.setattr(subprocess, "run", render)
    assert rendering.read_project()["nodes"]


def test_models_that_change_at_each_rendering_are_reported(
    rendered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (rendered / "project.json").unlink()
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: CompletedProcess([], 0))
    with pytest.raises(rendering.NotRenderedError, match="change while they are rendered"):
        rendering.read_project()


def test_a_renderer_that_was_killed_is_named(
    rendered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line of its stderr is a warning about semaphores, which is not the cause."""
    (rendered / "project.json").unlink()
    warning = "UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects"
    monkeypatch.setattr(
        subprocess, "run", lambda *_, **__: CompletedProcess([], -9, stderr=warning)
    )
    with pytest.raises(rendering.NotRenderedError, match=r"was killed \(SIGKILL\)$"):
        rendering.read_project()


def test_a_renderer_that_outlives_its_parent_keeps_the_lock(
    rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the next process removes the folder, and half a project counts as valid."""
    (rendered / "project.json").unlink()
    monkeypatch.setattr(rendering, "PROJECT", tmp_path)
    renderers: list[subprocess.Popen[bytes]] = []

    def die(*_: object, pass_fds: Sequence[int] = (), **__: object) -> None:
        command = [sys.executable, "-c", "input()"]
        renderers.append(subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=pass_fds))
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", die)
    with pytest.raises(KeyboardInterrupt):
        rendering.read_project()
    with (tmp_path / ".rendering").open("w") as lock:
        try:
            with pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            renderers[0].communicate(b"\n")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_changed_models_in_a_folder_of_others_are_rendered_by_its_owner(
    rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path and TRACKER_HOME are correct: the error must not suggest changing them."""
    (rendered / "project.json").unlink()
    (tmp_path / ".rendering").mkdir()  # a folder: not even root can open it for writing
    monkeypatch.setattr(rendering, "PROJECT", tmp_path)
    with pytest.raises(rendering.NotRenderedError, match="run `make install` as the owner"):
        rendering.read_project()


def test_a_build_is_recorded_under_the_models_that_it_read(
    rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models may change while a run scrapes; the next run would continue from older rows."""
    models = tmp_path / "dbt_project/models"
    copytree(rendering.PROJECT / "models", models)
    monkeypatch.setattr(models_version, "REPOSITORY", tmp_path)
    models_version.models_version.cache_clear()
    assert manifests.manifest_json()["nodes"]
    (models / "marts/creators/creators.sql").write_text("select 1")
    recorded = models_version.models_version()
    models_version.models_version.cache_clear()
    present = models_version.models_version()
    models_version.models_version.cache_clear()
    assert recorded != present
