"""The site builds without warnings, its search finds words, and its reference is complete."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestration.cli.app import Tracker
from serving_api.errors import ApiError
from tests.contract.cases import CASES
from tests.docs.pages import GENERATED, PAGES, links
from tests.fixtures.api import PREFIX
from warehouse.catalogue.models import MARTS, schemas
from warehouse.settings import REPOSITORY, Settings

SITE = REPOSITORY / "docs" / "site"
OPERATIONS = {name.replace(" ", f" {PREFIX}") for name in CASES}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the staged pages and the site."""
    folder = tmp_path_factory.mktemp("docs")
    done = subprocess.run(
        [sys.executable, SITE / "build.py", folder / "built"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    return folder / "built"


def reference(page: str) -> str:
    return (REPOSITORY / "docs" / "reference" / page).read_text(encoding="utf-8")


def indexed(built: Path) -> list[dict[str, Any]]:
    return json.loads((built / "site" / "search.json").read_text("utf-8"))["items"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("CPM", "docs/guides/sql.html"),
        ("webhook", "docs/guides/webhooks.html"),
        ("backfill", "docs/guides/history.html"),
        ("passkey", "docs/guides/desk.html"),
        ("TRACKER_HOME", "docs/reference/settings.html"),
    ],
)
def test_search_finds_the_page_of_a_word(built: Path, word: str, page: str) -> None:
    pages = {
        item["location"].partition("#")[0]
        for item in indexed(built)
        if word.lower() in (item["title"] + item["text"]).lower()
    }
    assert page in pages


def default_text(default: object) -> str:
    """The default as text to set; empty without a default, or if it differs by machine."""
    is_shown = default not in (None, ()) and not isinstance(default, Path)
    return json.dumps(default, default=str).strip('"') if is_shown else ""


@pytest.mark.slow
def test_the_reference_is_what_make_catalogue_writes() -> None:
    pages = dict(runpy.run_path(str(SITE / "reference.py"))["pages"]())
    assert {name: reference(name) for name in GENERATED} == pages


def test_the_reference_lists_every_setting_with_its_default_and_effect() -> None:
    rows = re.findall(
        r"^\| `(TRACKER_\w+)` \| (?:`(.*?)`)? *\| (.*) \|$",
        reference("settings.md"),
        re.MULTILINE,
    )
    assert {name: default for name, default, _ in rows} == {
        f"TRACKER_{name}".upper(): default_text(field.get_default(call_default_factory=True))
        for name, field in Settings.model_fields.items()
    }
    assert [name for name, _, effect in rows if not effect] == []


def test_the_reference_has_every_command_error_mart_and_metric() -> None:
    commands = set(re.findall(r"^## tracker (\S+)$", reference("cli.md"), re.MULTILINE))
    assert commands == set(Tracker.modules)

    codes = set(re.findall(r"^\| `(\w+)` \| \d{3} ", reference("errors.md"), re.MULTILINE))
    assert codes == {error.code for error in subclasses(ApiError)}

    tables = set(re.findall(r"^## (\w+)$", reference("tables.md"), re.MULTILINE))
    assert tables >= {name for name, schema in schemas().items() if schema == MARTS}

    metrics = reference("metrics.md").replace("*", "[a-z_]+")
    known = re.compile("|".join(re.findall(r"^\| `(tracker_\S+)` ", metrics, re.MULTILINE)))
    dashboard = REPOSITORY / "docs/operations/monitoring/dashboard.json"
    drawn = set(re.findall(r"tracker_[a-z_]+", dashboard.read_text("utf-8")))
    assert {name for name in drawn if not known.match(name)} == set()


def subclasses(error: type[ApiError]) -> set[type[ApiError]]:
    direct = set(error.__subclasses__())
    return direct.union(*map(subclasses, direct))


@pytest.mark.slow
def test_dbts_pages_describe_every_column_of_a_model(tmp_path: Path) -> None:
    """Including columns that pass through and are not listed in YAML."""
    page = runpy.run_path(str(SITE / "models.py"))["generate"](tmp_path)
    manifest, _ = json.JSONDecoder().raw_decode(page, page.index('{"metadata"'))
    columns = manifest["nodes"]["model.creator_tracker.int_payout_views"]["columns"]
    assert columns["payee_id"]["data_type"] == "uuid"
    models = [node for node in manifest["nodes"].values() if node["resource_type"] == "model"]
    assert len(models) == len(schemas())
    assert all(node["columns"] for node in models)
    assert all(column["description"] for node in models for column in node["columns"].values())


def test_the_reference_has_every_operation() -> None:
    listed = re.findall(r"^\| `([A-Z]+ \S+)` \|", reference("rest.md"), re.MULTILINE)
    assert set(listed) == OPERATIONS


def test_pages_name_existing_operations() -> None:
    known = {re.sub(r"\{\w+\}", "{}", each.replace(" /api/v2", " ")) for each in OPERATIONS}
    wrong = {
        f"{page.name}: {named}"
        for page in PAGES
        for named in re.findall(
            r"`((?:GET|POST|PUT|PATCH|DELETE) /[^`? ]*)", page.read_text("utf-8")
        )
        if re.sub(r"\{\w+\}", "{}", named.replace(" /api/v2", " ")) not in known
    }
    assert wrong == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    missing = [link for link in links(page) if not (page.parent / link).exists()]
    assert missing == []


def test_the_readme_fits_on_one_screen() -> None:
    assert len((REPOSITORY / "README.md").read_text("utf-8").splitlines()) <= 150


def test_every_page_is_in_the_navigation() -> None:
    config = (SITE / "zensical.toml").read_text("utf-8")
    listed = set(re.findall(r'"([\w./-]+\.md)"', config))
    assert {str(page.relative_to(REPOSITORY)) for page in PAGES} - listed == set()


class TestSentences:
    MEASURE = runpy.run_path(str(SITE / "sentences.py"))

    def test_they_are_short_in_the_readme_and_docs(self) -> None:
        total = self.MEASURE["lengths"](page.read_text("utf-8") for page in PAGES)
        assert total.median <= self.MEASURE["MOST_MEDIAN"]
        assert total.p90 <= self.MEASURE["MOST_P90"]
