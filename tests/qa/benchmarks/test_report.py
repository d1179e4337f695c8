"""Which results of benchmarks stay."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.qa.benchmarks import report
from tests.qa.benchmarks.__main__ import main
from tests.qa.benchmarks.report import COLUMNS, RESULTS, Figure, Row, add
from tests.qa.benchmarks.suites import SUITES


def run(day: int, name: str, scale: str = "1") -> Row:
    return {**dict.fromkeys(COLUMNS, ""), "at": f"2026-11-{day}", "name": name, "scale": scale}


def rows(table: Path) -> list[tuple[str, ...]]:
    with table.open(encoding="utf-8", newline="") as file:
        return [(row["name"], row["scale"], row["at"]) for row in csv.DictReader(file)]


def test_the_last_two_runs_of_each_figure_stay(tmp_path: Path) -> None:
    table = tmp_path / "results.csv"
    table.touch()
    add([run(11, "reads", "0.1")], table)  # another scale is another figure
    for day in (11, 12, 13):
        add([run(day, "reads"), run(day, "writes")] if day > 11 else [run(day, "reads")], table)
    assert rows(table) == [
        ("reads", "0.1", "2026-11-11"),
        ("reads", "1", "2026-11-12"),
        ("reads", "1", "2026-11-13"),
        ("writes", "1", "2026-11-12"),
        ("writes", "1", "2026-11-13"),
    ]


def test_results_in_the_repository_are_as_a_run_leaves_them(tmp_path: Path) -> None:
    table = tmp_path / "results.csv"
    table.write_bytes(RESULTS.read_bytes())
    add([], table)
    assert table.read_bytes() == RESULTS.read_bytes()


def test_figures_stay_when_a_later_suite_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(_folder: Path, _scale: float) -> Iterator[Figure]:
        yield Figure("reads", 1.0, "s", "alone")

    def full_disk(_folder: Path, _scale: float) -> Iterator[Figure]:
        raise MemoryError

    table = tmp_path / "results.csv"
    table.touch()
    monkeypatch.setattr(report, "RESULTS", table)
    monkeypatch.setitem(SUITES, "reads", reads)
    monkeypatch.setitem(SUITES, "full disk", full_disk)
    with pytest.raises(MemoryError):
        main(["reads", "full disk"], 1.0, tmp_path)
    assert [row[0] for row in rows(table)] == ["reads"]
