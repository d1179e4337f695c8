"""A pass-through column inherits its description from the nearest upstream model."""

from pathlib import Path

import pytest

from orchestration.building.manifests import manifest_json
from warehouse.catalogue.meanings import DescriptionError, Project, project, read_project

READINGS = {"stg_reading": ("", {"day": "UTC date.", "views": "As shown."})}


def made_of(folder: Path, models: dict[str, tuple[str, dict[str, str]]]) -> Project:
    """Return a project of models, each with its SQL and column descriptions."""
    (folder / "macros").mkdir()
    (folder / "macros/all_days.sql").write_text(
        "{% macro all_days() %}{{ ref('stg_days') }}{% endmacro %}"
    )
    layer = folder / "models/intermediate"
    layer.mkdir(parents=True)
    for name, (sql, columns) in models.items():
        listed = "".join(f"      - {{name: {c}, description: {d}}}\n" for c, d in columns.items())
        (layer / f"{name}.sql").write_text(sql)
        (layer / f"{name}.yml").write_text(
            f"models:\n  - name: {name}\n    description: One.\n"
            + (f"    columns:\n{listed}" if listed else "")
            + "unit_tests: [not read]\n"
        )
    return read_project(folder)


@pytest.mark.parametrize(
    ("columns", "meaning"), [({}, "UTC date."), ({"day": "Its own."}, "Its own.")]
)
def test_a_column_without_a_description_inherits_it(
    tmp_path: Path, columns: dict[str, str], meaning: str
) -> None:
    two_further = {
        "int_first": ("select * from {{ ref('stg_reading') }}", {}),
        "int_second": ("from {{ ref('int_first') }}", columns),
    }
    made = made_of(tmp_path, {**READINGS, **two_further})
    assert made.column_meaning("int_second", "day") == meaning


def test_nearer_models_come_first(tmp_path: Path) -> None:
    nearer = {
        "int_first": ("from {{ ref('stg_reading') }}", {"day": "Org-local date."}),
        "int_second": ("from {{ ref('int_first') }} join {{ ref('stg_other') }}", {}),
        "stg_other": ("", {}),
    }
    made = made_of(tmp_path, {**READINGS, **nearer})
    assert made.column_meaning("int_second", "day") == "Org-local date."
    assert made.column_meaning("int_second", "views") == "As shown."


@pytest.mark.parametrize(
    "sql", ["from {{ all_days() }}", '{% for model in ["stg_days"] %}{{ ref(model) }}{% endfor %}']
)
def test_models_are_also_read_by_macros_and_loops(tmp_path: Path, sql: str) -> None:
    made = made_of(tmp_path, {"stg_days": ("", {"day": "Any date."}), "int_first": (sql, {})})
    assert made.column_meaning("int_first", "day") == "Any date."


def test_descriptions_that_differ_equally_far_away_are_refused(tmp_path: Path) -> None:
    both = "from {{ ref('stg_reading') }} join {{ ref('stg_days') }}"
    made = made_of(
        tmp_path, {**READINGS, "stg_days": ("", {"day": "Any date."}), "int_first": (both, {})}
    )
    with pytest.raises(DescriptionError, match=r"int_first\.day: .* Any date\. / UTC date\."):
        made.column_meaning("int_first", "day")


def test_a_column_without_upstream_descriptions_has_the_usual_meaning(tmp_path: Path) -> None:
    assert made_of(tmp_path, READINGS).column_meaning("stg_reading", "currency") == "ISO 4217."


def test_a_counters_column_is_described_like_that_of_views(tmp_path: Path) -> None:
    days = {
        "stg_reading": ("", {"save_mark": "As saved."}),
        "int_days": ("from {{ ref('stg_reading') }}", {"view_mark": "Most views; a view counts."}),
        "int_weeks": ("from {{ ref('int_days') }}", {"like_mark": "Its own."}),
    }
    made = made_of(tmp_path, days)
    assert made.column_meaning("int_days", "save_mark") == "Most saves; a save counts."
    assert made.column_meaning("int_weeks", "share_mark") == "Most shares; a share counts."
    assert made.column_meaning("int_weeks", "like_mark") == "Its own."
    assert made.column_meaning("int_weeks", "view_mark") == "Most views; a view counts."


def test_without_a_usual_meaning_it_is_refused(tmp_path: Path) -> None:
    made = made_of(tmp_path, {**READINGS, "int_first": ("from {{ ref('stg_reading') }}", {})})
    with pytest.raises(DescriptionError, match=r"int_first\.month: .* no model upstream does"):
        made.column_meaning("int_first", "month")


def test_models_read_the_dependencies_of_dbt() -> None:
    manifest = manifest_json()
    names = {
        unique_id: node["name"]
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model"
    }
    assert project().parents == {
        name: {names[parent] for parent in manifest["parent_map"][unique_id] if parent in names}
        for unique_id, name in names.items()
    }


def test_no_description_repeats_what_is_inherited() -> None:
    """Fix: delete the description, and the column's entry if only the name remains."""
    repeated = [
        f"{name}.{column}"
        for name, model in project().models.items()
        for column, text in model.columns.items()
        if text and text == inherited(name, column)
    ]
    assert repeated == []


def inherited(model: str, column: str) -> str | None:
    try:
        return project().inherited_meaning(model, column)
    except DescriptionError:
        return None
