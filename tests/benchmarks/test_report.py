"""Which results of benchmarks stay."""

import json
from pathlib import Path

from tests.benchmarks.report import RESULTS, forget_older


def write(folder: Path, name: str, *figures: str, scale: float = 1.0) -> None:
    record = {"scale": scale, "figures": [{"name": figure} for figure in figures]}
    (folder / f"{name}.json").write_text(json.dumps(record))
    (folder / f"{name}.md").write_text("")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_last_two_runs_of_each_figure_stay(tmp_path: Path) -> None:
    write(tmp_path, "1", "reads", "writes")  # the last but one of writes
    write(tmp_path, "2", "reads")
    write(tmp_path, "3", "reads", scale=0.1)  # another scale is another figure
    write(tmp_path, "4", "reads", "writes")
    write(tmp_path, "5", "reads")
    forget_older(tmp_path)
    kept = ["1", "3", "4", "5"]
    assert names(tmp_path) == [f"{name}.{kind}" for name in kept for kind in ("json", "md")]


def test_what_is_in_the_repository_has_been_held_to_it(tmp_path: Path) -> None:
    for path in RESULTS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    forget_older(tmp_path)
    assert names(tmp_path) == names(RESULTS)
