"""A version number is the same in all files, and CHANGELOG.md describes it."""

import re
import tomllib
from datetime import date
from importlib.metadata import version
from itertools import pairwise

import pytest

from serving_api.changelog.endpoints import read_entries
from tests.orchestration.commands import tracker_here
from tests.test_operations import FILES
from warehouse.operational.migrations import known_revisions
from warehouse.settings import REPOSITORY

CHANGELOG = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
SECTIONS = re.findall(
    r"^## \[(\S+)\](?: - (\S+))?$(.*?)(?=^## |\Z)", CHANGELOG, re.MULTILINE | re.DOTALL
)
RELEASES = [section for section in SECTIONS if section[0] != "Unreleased"]
UNRELEASED = "".join(text for name, _, text in SECTIONS if name == "Unreleased")
MOST_LINES = 15
VERSION = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]


def numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def test_the_newest_release_of_the_changelog_is_the_projects_version() -> None:
    assert RELEASES[0][0] == VERSION


def test_releases_are_listed_newest_first_with_their_days() -> None:
    assert len(SECTIONS) == len(re.findall(r"^## ", CHANGELOG, re.MULTILINE))
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", name) for name, _, _ in RELEASES)
    assert all(numbers(new[0]) > numbers(old[0]) for new, old in pairwise(RELEASES))
    days = [date.fromisoformat(day) for _, day, _ in RELEASES]
    assert days == sorted(days, reverse=True)


def test_a_release_of_the_changelog_is_read_in_a_minute() -> None:
    lines = {name: len(re.findall(r"^- ", text, re.MULTILINE)) for name, _, text in SECTIONS}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_changes_are_listed_under_the_six_headings() -> None:
    headings = set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert all(re.search(r"^- \S", text, re.MULTILINE) for _, _, text in SECTIONS)


def test_changes_since_the_release_are_listed_as_unreleased() -> None:
    """A newer schema, or a newer entry for API callers, is news for operators too."""
    _, day, text = RELEASES[0]
    (revision,) = re.findall(r"^Schema (\d{4})\.", text, re.MULTILINE)
    is_of_the_release = revision == max(known_revisions()) and max(
        entry.day for entry in read_entries()
    ) <= date.fromisoformat(day)
    assert is_of_the_release or UNRELEASED


@pytest.mark.parametrize(
    ("file", "before"),
    [
        ("container/Dockerfile", r"org\.opencontainers\.image\.version="),
        ("container/Dockerfile", r"-t creator-tracker:"),
        ("container/onnx.Dockerfile", r"FROM creator-tracker:"),
        ("container/compose.yaml", r"\$\{TRACKER_VERSION:-"),
        ("kubernetes/kustomization.yaml", r"newTag: "),
        ("README.md", r"newTag: "),
    ],
)
def test_deployments_name_the_version(file: str, before: str) -> None:
    (text,) = (path.read_text() for path in FILES if str(path).endswith(f"operations/{file}"))
    assert re.findall(before + r"(\d+\.\d+\.\d+)", text) == [VERSION]


def test_no_deployment_uses_the_latest_tag() -> None:
    assert [file.name for file in FILES if re.search(r"\blatest\b", file.read_text())] == []


def test_the_installed_version_is_this_one() -> None:
    assert version("creator-tracker") == VERSION, "run `make install`"


def test_the_command_prints_it() -> None:
    process = tracker_here("--version", env={})
    assert (process.returncode, process.stdout) == (
        0,
        f"creator-tracker {version('creator-tracker')}\n",
    )
