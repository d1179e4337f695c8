"""Modules stay small and have no import cycles, and `kit` imports nothing upward.

Imports for type checking count. Import-linter checks imports between packages (pyproject.toml).
"""

from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import pytest

from tests.house.test_private_names import PACKAGES
from warehouse.settings import REPOSITORY

MOST_LINES = 250
BELOW_KIT = ("serving_api.errors", "serving_api.kit")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def test_no_files_import_each_other_in_a_circle(graph: grimp.ImportGraph) -> None:
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # CycleError names the cycle


def test_kit_knows_no_noun(graph: grimp.ImportGraph) -> None:
    upward = [
        (module, imported)
        for module in graph.modules
        if module.startswith("serving_api.kit")
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.startswith("serving_api.") and not imported.startswith(BELOW_KIT)
    ]
    assert upward == []


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    files = (path for package in PACKAGES for path in Path(REPOSITORY, package).rglob("*.py"))
    lines = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


@pytest.mark.slow
def test_modules_run_by_hand_can_be_imported() -> None:
    for path in sorted(Path(REPOSITORY, "tests", "qa").rglob("*.py")):
        import_module(".".join(path.relative_to(REPOSITORY).with_suffix("").parts))
