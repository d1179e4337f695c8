"""Public tables are in marts, others in machinery: each table documents its schema."""

import re
from pathlib import Path

import pytest
import yaml

from tests.dbt_project.harness import parsed_nodes
from warehouse.catalogue.models import MACHINERY, MARTS, MODELS, PUBLISHED, schemas
from warehouse.publication.described import descriptions
from warehouse.settings import REPOSITORY

FIXED = {
    *("video_deltas", "video_daily", "account_snapshots", "account_daily", "creator_daily"),
    *("campaign_daily", "payout_accruals", "payout_payments", "goal_compliance"),
    "scrape_freshness",
}
"""Marts of every version."""
SECTION = re.compile(
    r"^## In a publication: schema `(\w+)`$(.*?)(?=^## )", re.MULTILINE | re.DOTALL
)
NAMED = re.compile(rf"(?<![\w./-])({'|'.join(PUBLISHED)})\.([a-z_]+)\b(?!\.\w|\()")
FORMATTED = re.compile(rf"\b(?:{'|'.join(PUBLISHED)})\.{{")
"""A table whose name is built in code."""
READERS = ("reading", "webhooks", "simulation", "fetch_schedule", "scrape_jobs", "budgets.py")
"""Code that reads publications for the API, webhooks and scraping."""
EXPOSURES = {
    exposure["name"]: exposure
    for exposure in yaml.safe_load((MODELS / "marts/exposures.yml").read_bytes())["exposures"]
}
WITHOUT_MODEL = {"publication"}
"""Tables that are added at publication."""
DOCUMENTS = [
    *(REPOSITORY / "docs").rglob("*.md"),
    REPOSITORY / "README.md",
]
"""Documents and tools with queries for users."""


def of_layer(layer: str) -> set[str]:
    return {model for model, schema in schemas().items() if schema == layer}


def test_models_are_in_the_schema_of_their_folder() -> None:
    made = {n["name"]: n["schema"] for n in parsed_nodes() if n["resource_type"] == "model"}
    assert made == schemas()


def test_marts_contain_the_models_of_every_version() -> None:
    assert of_layer(MARTS) >= FIXED


@pytest.mark.parametrize("model", sorted(of_layer(MARTS) | of_layer(MACHINERY)))
def test_only_machinery_is_described_as_machinery(model: str) -> None:
    means, _ = descriptions()[model]
    assert ("Machinery" in means) == (model in of_layer(MACHINERY))


@pytest.mark.parametrize("layer", PUBLISHED)
def test_the_readme_lists_each_table_under_its_schema(layer: str) -> None:
    text_by_schema = dict(SECTION.findall((REPOSITORY / "warehouse/README.md").read_text("utf-8")))
    assert sorted(re.findall(r"^\| `(\w+)` \|", text_by_schema[layer], re.MULTILINE)) == sorted(
        of_layer(layer)
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_do_not_query_machinery(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [name for name in of_layer(MACHINERY) if re.search(rf"\b{name}\b", text)] == []


def test_code_qualifies_tables_with_their_schema() -> None:
    wrong = [
        f"{path.relative_to(REPOSITORY)}: {schema}.{name}"
        for package in ("warehouse", "orchestration", "serving_api")
        for path in (REPOSITORY / package).rglob("*")
        if path.suffix in {".py", ".sql", ".md"}
        for schema, name in NAMED.findall(path.read_text("utf-8"))
        if name not in WITHOUT_MODEL and schemas().get(name) != schema
    ]
    assert wrong == []


@pytest.mark.parametrize("name", EXPOSURES)
def test_an_exposure_depends_on_the_marts_that_its_code_reads(name: str) -> None:
    """Exposures name that code; otherwise `exposures.yml` would have to follow each query."""
    exposure = EXPOSURES[name]
    files = [file for path in exposure["config"]["meta"]["reads"] for file in sources(path)]
    declared = {each.removeprefix("ref('").removesuffix("')") for each in exposure["depends_on"]}
    read = set[str]().union(*map(models_read_by, files))
    assert read <= declared
    assert declared == read or any(FORMATTED.search(file.read_text("utf-8")) for file in files)


def test_all_code_that_reads_marts_belongs_to_an_exposure() -> None:
    exposed = {
        file
        for exposure in EXPOSURES.values()
        for path in exposure["config"]["meta"]["reads"]
        for file in sources(path)
    }
    readers = {
        file
        for package in READERS
        for file in sources(f"warehouse/{package}")
        if models_read_by(file) or FORMATTED.search(file.read_text("utf-8"))
    }
    assert readers - exposed == set()


def sources(path: str) -> list[Path]:
    """Return a module with its statements, or all code in a folder."""
    place = REPOSITORY / path
    statements = place.parent.glob(f"{place.stem}*.sql")
    files = [place, *statements] if place.is_file() else place.rglob("*")
    return [file for file in files if file.suffix in {".py", ".sql"}]


def models_read_by(file: Path) -> set[str]:
    return {name for _, name in NAMED.findall(file.read_text("utf-8")) if name in schemas()}
