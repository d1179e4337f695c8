"""What people ask is in marts and the rest in machinery: each table says which it is."""

import re
from pathlib import Path

import pytest

from tests.dbt_project.harness import parsed_nodes
from warehouse.catalogue.models import MACHINERY, MARTS, MODELS, PUBLISHED, schemas
from warehouse.publication.described import descriptions
from warehouse.settings import REPOSITORY

FIXED = {
    *("video_deltas", "video_daily", "account_snapshots", "account_daily", "creator_daily"),
    *("campaign_daily", "payout_accruals", "payout_payments", "goal_compliance"),
    "scrape_freshness",
}
"""What every version has in its marts."""
TOLD = re.compile(r"^## In a publication: schema `(\w+)`$(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
NAMED = re.compile(rf"(?<![\w./-])({'|'.join(PUBLISHED)})\.([a-z_]+)\b(?!\.\w|\()")
OF_NO_MODEL = {"publication"}
"""Made as a publication is."""
ASKING = [
    *(REPOSITORY / "docs").rglob("*.md"),
    REPOSITORY / "README.md",
    *(path for path in (MODELS / "semantics").glob("*.yml")),
]
"""What tells people, and tools of theirs, what to ask."""


def of_layer(layer: str) -> set[str]:
    return {model for model, schema in schemas().items() if schema == layer}


def test_a_model_lies_in_the_schema_of_its_folder() -> None:
    made = {n["name"]: n["schema"] for n in parsed_nodes() if n["resource_type"] == "model"}
    assert made == schemas()


def test_marts_have_what_every_version_has() -> None:
    assert of_layer(MARTS) >= FIXED


@pytest.mark.parametrize("model", sorted(of_layer(MARTS) | of_layer(MACHINERY)))
def test_what_is_machinery_says_so_and_a_mart_does_not(model: str) -> None:
    means, _ = descriptions()[model]
    assert ("Machinery" in means) == (model in of_layer(MACHINERY))


@pytest.mark.parametrize("layer", PUBLISHED)
def test_readers_are_told_of_each_table_under_its_schema(layer: str) -> None:
    text_by_schema = dict(TOLD.findall((REPOSITORY / "warehouse/README.md").read_text("utf-8")))
    assert sorted(re.findall(r"^\| `(\w+)` \|", text_by_schema[layer], re.MULTILINE)) == sorted(
        of_layer(layer)
    )


@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.name)
def test_nobody_is_told_to_ask_machinery(path: Path) -> None:
    text = path.read_text("utf-8")
    assert [name for name in of_layer(MACHINERY) if re.search(rf"\b{name}\b", text)] == []


def test_code_names_tables_in_the_schema_where_they_are() -> None:
    wrong = [
        f"{path.relative_to(REPOSITORY)}: {schema}.{name}"
        for package in ("warehouse", "orchestration", "serving_api")
        for path in (REPOSITORY / package).rglob("*")
        if path.suffix in {".py", ".sql", ".md"}
        for schema, name in NAMED.findall(path.read_text("utf-8"))
        if name not in OF_NO_MODEL and schemas().get(name) != schema
    ]
    assert wrong == []
