"""The rendered project, of which a build executes one state."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from orchestration.building import manifests, rendering


@pytest.fixture
def rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the rendered project, which this process reads anew."""
    rendering.read_project()
    folder = tmp_path / "rendered"
    copytree(rendering.RENDERED, folder)
    monkeypatch.setattr(rendering, "RENDERED", folder)
    manifests.manifest_json.cache_clear()
    yield folder
    manifests.manifest_json.cache_clear()


def test_a_build_goes_on_with_its_sql_while_the_project_is_rendered_again(rendered: Path) -> None:
    """Half of its amounts would be computed by one version, and half by another."""
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
