"""Figures with their targets: printed as a table and appended to `results.csv`."""

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from platform import machine, python_version

import psutil
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).with_name("results.csv")
PACKAGES = ("duckdb", "dbt-core", "dbt-duckdb", "httpx", "fastapi", "uvicorn")
GIB = 1024**3
RUNS_KEPT = 2
"""For each figure and scale; older ones are in the repository's history."""

Row = Mapping[str, str]


@dataclass(frozen=True)
class Figure:
    """A measurement; `target` is its maximum, or its minimum with `is_least`.

    `parts` says what it consists of. Without a target it is only reported.
    """

    name: str
    value: float
    unit: str
    parts: str
    target: float | None = None
    is_least: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the target is met; true without a target."""
        if self.target is None:
            return True
        return self.value >= self.target if self.is_least else self.value <= self.target

    @property
    def row(self) -> tuple[str, str, str, str]:
        return self.name, f"{self.value:,.3g} {self.unit}", self._aim(), self.parts

    def _aim(self) -> str:
        if self.target is None:
            return ""
        missed = "" if self.is_met else ": missed"
        return f"{'≥' if self.is_least else '≤'} {self.target:,.3g} {self.unit}{missed}"


HEADINGS = ("what", "measured", "target", "of")


def show(figures: Sequence[Figure], scale: float) -> None:
    table = Table(*HEADINGS, title=f"scale {scale:g}; {_machine()}")
    for figure in figures:
        table.add_row(*figure.row, style=None if figure.is_met else "red")
    Console().print(table)


COLUMNS = ("name", "scale", "at", "value", "unit", "target", "parts", "machine", "versions")
"""One row for each figure and run, ordered by name and scale, older runs first."""


def keep(figures: Sequence[Figure], scale: float) -> Path:
    """Add the figures to the table and return its path; only each figure's last runs stay."""
    run = {
        "scale": f"{scale:g}",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": _machine(),
        "versions": " ".join(["python", python_version(), *map(_versioned, PACKAGES)]),
    }
    add([{**run, **_row_of(figure)} for figure in figures], RESULTS)
    return RESULTS


def _versioned(package: str) -> str:
    return f"{package} {version(package)}"


def _row_of(figure: Figure) -> Row:
    name, _, target, parts = figure.row
    value = repr(figure.value)
    return {"name": name, "value": value, "unit": figure.unit, "target": target, "parts": parts}


def add(rows: Sequence[Row], table: Path) -> None:
    """Add rows to a table, which has only the last runs of each name and scale."""
    with table.open(encoding="utf-8", newline="") as file:
        old = list(csv.DictReader(file))
    ordered = sorted([*old, *rows], key=lambda row: (row["name"], float(row["scale"]), row["at"]))
    by_figure = groupby(ordered, key=lambda row: (row["name"], row["scale"]))
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for _, runs in by_figure:
            writer.writerows(list(runs)[-RUNS_KEPT:])


def _machine() -> str:
    memory = psutil.virtual_memory().total / GIB
    return f"{os.cpu_count()} cores ({machine()}), {memory:.0f} GiB of memory"
