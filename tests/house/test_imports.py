"""What modules of the API import: no circle of files, and nothing upward from `kit`.

Imports for type checking count. What packages import is held by import-linter (pyproject.toml).
"""

from graphlib import TopologicalSorter

import grimp
import pytest

BELOW_KIT = ("serving_api.errors", "serving_api.kit")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("serving_api", cache_dir=None)


def test_no_files_import_each_other_in_a_circle(graph: grimp.ImportGraph) -> None:
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # CycleError names the circle


def test_kit_knows_no_noun(graph: grimp.ImportGraph) -> None:
    upward = [
        (module, imported)
        for module in graph.modules
        if module.startswith("serving_api.kit")
        for imported in graph.find_modules_directly_imported_by(module)
        if not imported.startswith(BELOW_KIT)
    ]
    assert upward == []
