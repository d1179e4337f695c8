"""What a page has a browser load: little, whatever the page."""

import gzip
from importlib.resources import files
from importlib.resources.abc import Traversable

MOST = 120_000
"""Bytes as they are sent, compressed."""
LOADED = (".css", ".js")


def below(folder: Traversable) -> list[Traversable]:
    inside = [entry for entry in folder.iterdir() if not entry.name.startswith("__")]
    deeper = [file for entry in inside if entry.is_dir() for file in below(entry)]
    return [entry for entry in inside if entry.name.endswith(LOADED)] + deeper


def test_all_scripts_and_styles_of_pages_together_are_light() -> None:
    sizes = {
        file.name: len(gzip.compress(file.read_bytes())) for file in below(files("serving_api"))
    }
    assert {"page.css", "chart.js", "uPlot.iife.min.js"} <= sizes.keys()
    assert sum(sizes.values()) <= MOST, sizes
