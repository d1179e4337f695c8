"""Figures with their targets: shown as a table, and kept with the machine and the versions."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import machine, python_version

import psutil
from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).with_name("results")
PACKAGES = ("duckdb", "dbt-core", "dbt-duckdb", "httpx", "fastapi", "uvicorn")
GIB = 1024**3
RUNS_KEPT = 2
"""Of each figure at each scale; older ones are in the history of the repository."""


@dataclass(frozen=True)
class Figure:
    """Something measured; `target` is the most that it may be, or the least with `is_least`.

    `parts` says what it was made of. Without a target it is only told.
    """

    name: str
    value: float
    unit: str
    parts: str
    target: float | None = None
    is_least: bool = False

    @property
    def is_met(self) -> bool:
        """Whether the target holds."""
        if self.target is None:
            return True
        return self.value >= self.target if self.is_least else self.value <= self.target

    @property
    def row(self) -> tuple[str, str, str, str]:
        """Return the figure as texts: what, how much, the target, of what."""
        return self.name, f"{self.value:,.3g} {self.unit}", self._aim(), self.parts

    def _aim(self) -> str:
        if self.target is None:
            return ""
        missed = "" if self.is_met else ": missed"
        return f"{'≥' if self.is_least else '≤'} {self.target:,.3g} {self.unit}{missed}"


HEADINGS = ("what", "measured", "target", "of")


def show(figures: Sequence[Figure], scale: float) -> None:
    """Print the table."""
    table = Table(*HEADINGS, title=f"scale {scale:g}; {_machine()}")
    for figure in figures:
        table.add_row(*figure.row, style=None if figure.is_met else "red")
    Console().print(table)


def keep(figures: Sequence[Figure], scale: float) -> Path:
    """Write the figures as JSON and Markdown, named by the moment; return the Markdown's path.

    Results that tell nothing any more go: each of their figures has been measured twice since.
    """
    now = datetime.now(UTC)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{now:%Y-%m-%dT%H%M%SZ}.md"
    versions = {"python": python_version(), **{name: version(name) for name in PACKAGES}}
    record = {
        "at": now.isoformat(timespec="seconds"),
        "scale": scale,
        "machine": _machine(),
        "versions": versions,
        "figures": [asdict(figure) | {"is_met": figure.is_met} for figure in figures],
    }
    text = json.dumps(record, indent=2, ensure_ascii=False)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
    path.write_text(_markdown(figures, record), encoding="utf-8")
    forget_older(RESULTS)
    return path


def forget_older(results: Path) -> None:
    """Remove the results none of whose figures is among the last of its name and scale."""
    seen: Counter[tuple[float, str]] = Counter()
    for path in sorted(results.glob("*.json"), reverse=True):
        record = json.loads(path.read_text(encoding="utf-8"))
        names = {(record["scale"], figure["name"]) for figure in record["figures"]}
        if all(seen[name] >= RUNS_KEPT for name in names):
            path.unlink()
            path.with_suffix(".md").unlink()
        seen.update(names)


def _markdown(figures: Sequence[Figure], record: dict[str, object]) -> str:
    rows = [HEADINGS, ("---",) * len(HEADINGS), *(figure.row for figure in figures)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"Scale {record['scale']:g}, {record['at']}, {record['machine']}.\n\n{table}\n"


def _machine() -> str:
    memory = psutil.virtual_memory().total / GIB
    return f"{os.cpu_count()} cores ({machine()}), {memory:.0f} GiB of memory"
