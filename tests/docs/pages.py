"""The Markdown pages of the documentation, and their code blocks."""

import re
from collections.abc import Iterator
from pathlib import Path

from warehouse.settings import REPOSITORY

GENERATED = {"settings.md", "cli.md", "rest.md", "errors.md", "tables.md", "metrics.md"}
"""Pages of docs/reference."""
NOT_PAGES = {*GENERATED, "changelog.md"}
PAGES = (
    REPOSITORY / "README.md",
    *(page for page in sorted((REPOSITORY / "docs").rglob("*.md")) if page.name not in NOT_PAGES),
)
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
GIVEN = re.compile(r"^[A-Z_]+=(?:svc_)?\.\.\.(?: .*)?$", re.MULTILINE)
"""A line that names a value of the reader's: `KEY=svc_...`."""


def blocks(page: str, language: str = "sh") -> Iterator[str]:
    """Yield the code blocks of a language on a page, named by its path in the repository."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    yield from (body for _, spoken, body in _BLOCK.findall(text) if spoken == language)


def names() -> list[str]:
    """Return the paths of all pages in the repository."""
    return [str(page.relative_to(REPOSITORY)) for page in PAGES]


def links(page: Path) -> list[str]:
    """Return a page's links into the repository, without anchors."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text)
