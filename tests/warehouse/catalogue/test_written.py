"""What `make catalogue` writes is what the catalogue says now."""

from pathlib import Path
from shutil import copytree

import pytest

from warehouse.catalogue.counters import VIDEO_COUNTERS, Counter
from warehouse.catalogue.table import Column
from warehouse.catalogue.written import (
    README,
    SOURCES,
    stale,
    with_columns_of,
    with_columns_of_accruals,
    written,
)
from warehouse.settings import REPOSITORY

REWATCHES = (*VIDEO_COUNTERS, Counter("rewatch", "rewatches", came_later=True))


def test_no_written_file_is_stale() -> None:
    """Else: `make catalogue`."""
    assert [str(path.relative_to(REPOSITORY)) for path, _ in stale(written())] == []


@pytest.mark.parametrize("path", [SOURCES[1].path, README], ids=["sources", "README"])
def test_a_written_file_that_somebody_changed_is_stale(tmp_path: Path, path: Path) -> None:
    for folder in ("dbt_project/models", "dbt_project/macros"):
        copytree(REPOSITORY / folder, tmp_path / folder)
    (tmp_path / README).parent.mkdir()
    (tmp_path / README).write_bytes((REPOSITORY / README).read_bytes())
    assert list(stale(written(tmp_path))) == []
    changed = (tmp_path / path).read_text().replace("The video registry", "All videos")
    (tmp_path / path).write_text(changed)
    assert [file for file, _ in stale(written(tmp_path))] == [tmp_path / path]


def described(*names: str) -> str:
    columns = "".join(
        f"      - {{name: {name}, description: The last known {name}.}}\n" for name in names
    )
    return f"models:\n  - name: one\n    columns:\n{columns}unit_tests:\n  - name: saves\n"


ACCRUALS = (Column("period_end", "date"), Column("amount_cents", "bigint"))
LATER = Column("share", "decimal(5, 4)", "How much; else null.", came_later=True)


class TestAColumnOfAccrualsThatCameLater:
    def test_it_is_listed_with_its_type_behind_the_one_before(self) -> None:
        text = described("accrual_id", "period_end", "amount_cents", "status")
        added = '      - {name: share, data_type: "decimal(5, 4)"}\n'
        filled = text.replace("      - {name: status", f"{added}      - {{name: status")
        assert with_columns_of_accruals((*ACCRUALS, LATER), text) == filled
        assert with_columns_of_accruals((*ACCRUALS, LATER), filled) == filled

    @pytest.mark.parametrize(
        "names",
        [("accrual_id", "period_end"), ("period_end", "amount_cents")],
        ids=["some of them", "of no accrual"],
    )
    def test_a_model_that_has_not_all_columns_needs_none(self, names: tuple[str, ...]) -> None:
        text = described(*names)
        assert with_columns_of_accruals((*ACCRUALS, LATER), text) == text


class TestColumnsOfACounterThatCameLater:
    def test_they_are_described_like_those_of_the_one_before(self) -> None:
        of_each = [f"{c.name}_count" for c in VIDEO_COUNTERS]
        text = described("video_id", *of_each, "is_exact")
        filled = described("video_id", *of_each, "rewatch_count", "is_exact")
        assert with_columns_of(REWATCHES, text) == filled
        assert with_columns_of(REWATCHES, filled) == filled

    def test_words_and_plurals_are_its_own(self) -> None:
        columns = "".join(
            f"      - name: new_{c.plural}\n        description: {c.plural.title()} {c.name}.\n"
            for c in VIDEO_COUNTERS
        )
        text = f"    columns:\n{columns}"
        added = "      - name: new_rewatches\n        description: Rewatches rewatch.\n"
        assert with_columns_of(REWATCHES, f"\n{text}") == f"\n{text}{added}"

    @pytest.mark.parametrize(
        "names",
        [("video_id", "save_count"), ("view_count", "like_count"), ("is_safe", "saved_at")],
        ids=["one counter alone", "some of them", "other words"],
    )
    def test_a_model_that_has_not_all_counters_needs_none(self, names: tuple[str, ...]) -> None:
        assert with_columns_of(REWATCHES, described(*names)) == described(*names)
