"""`make catalogue` output is up to date."""

from pathlib import Path
from shutil import copytree

import pytest

from warehouse.catalogue.written import (
    README,
    SOURCES,
    stale,
    written,
)
from warehouse.settings import REPOSITORY


def test_no_written_file_is_stale() -> None:
    """Fix: `make catalogue`."""
    assert [str(path.relative_to(REPOSITORY)) for path, _ in stale(written())] == []


@pytest.mark.parametrize("path", [SOURCES[1].path, README], ids=["sources", "README"])
def test_a_manually_changed_file_is_stale(tmp_path: Path, path: Path) -> None:
    for folder in ("dbt_project/models", "dbt_project/macros"):
        copytree(REPOSITORY / folder, tmp_path / folder)
    (tmp_path / README).parent.mkdir()
    (tmp_path / README).write_bytes((REPOSITORY / README).read_bytes())
    assert list(stale(written(tmp_path))) == []
    changed = (tmp_path / path).read_text().replace("The video registry", "All videos")
    (tmp_path / path).write_text(changed)
    assert [file for file, _ in stale(written(tmp_path))] == [tmp_path / path]
