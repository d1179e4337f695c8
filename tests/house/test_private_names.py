"""No private names of libraries are used, except for the listed ones."""

import ast
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

from fastmcp import FastMCP

from warehouse.settings import REPOSITORY

PACKAGES = ("orchestration", "scrapers", "serving_api", "warehouse")
NEEDED = {
    # fastmcp 4.1 lists resources without a cursor; `test_fastmcp_lists_resources_without_a_cursor`.
    ("serving_api/mcp/server.py", "_on_list_resources"),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted(Path(REPOSITORY, package).rglob("*.py")):
            yield str(path.relative_to(REPOSITORY)), ast.parse(path.read_text(encoding="utf-8"))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_typeshed"


def private_imports(tree: ast.Module) -> Iterator[str]:
    """Yield private modules and names that are imported from libraries."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(each.name for each in node.names)]
        elif isinstance(node, ast.Import):
            names = [part for each in node.names for part in each.name.split(".")]
        else:
            continue
        yield from (name for name in names if names[0] not in PACKAGES and is_private(name))


def inherited(tree: ast.Module) -> Iterator[str]:
    """Yield private names accessed through `super()` in subclasses of a library's class."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or {ast.unparse(base) for base in node.bases} <= own:
            continue
        for called in ast.walk(node):
            if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "super()":
                yield from [called.attr] if is_private(called.attr) else []


def test_no_private_name_of_a_library_is_used_outside_the_list() -> None:
    """Ruff (SLF001) finds private attributes of other objects, and no module may silence it."""
    used = {
        (path, name)
        for path, tree in modules()
        for name in (*private_imports(tree), *inherited(tree))
    }
    assert used == NEEDED
    silenced = [
        path for path, _ in modules() if "SLF001" in Path(REPOSITORY, path).read_text("utf-8")
    ]
    assert silenced == []


def test_fastmcp_lists_resources_without_a_cursor() -> None:
    """If this fails, list resources by the public method and remove the private one."""
    assert "cursor" not in signature(FastMCP.list_resources).parameters
