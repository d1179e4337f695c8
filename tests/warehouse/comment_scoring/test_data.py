from pathlib import Path

import pytest

from warehouse.comment_scoring.data import digest

MODULE = '''"""Scores texts."""

LEAST = 3  # fewer say nothing
"""The least words."""


def score(text: str) -> int:
    """Return the score."""
    # links first
    return text.count("# no comment")
'''


def version(folder: Path, name: str, content: str) -> str:
    file = folder / str(len(list(folder.iterdir()))) / name
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    return digest([file])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Scores texts.", "Scores\n\ncomments."),
        ("  # fewer say nothing", ""),
        ("The least words.", "Words at least."),
        ("Return the score.", "Count."),
        ("    # links first\n", ""),
    ],
)
def test_reworded_docstrings_and_comments_keep_the_version(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in MODULE
    reworded = version(tmp_path, "rules.py", MODULE.replace(old, new))
    assert reworded == version(tmp_path, "rules.py", MODULE)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("rules.py", "LEAST = 3", "LEAST = 4"),
        ("rules.py", "# no comment", "# another one"),
        ("rules.toml", "# links first", "# links last"),
    ],
)
def test_changed_code_and_data_are_another_version(
    tmp_path: Path, name: str, old: str, new: str
) -> None:
    changed = version(tmp_path, name, MODULE.replace(old, new))
    assert changed != version(tmp_path, name, MODULE)
