"""What a page has a browser load: little, whatever the page."""

import gzip
from importlib.resources import files
from importlib.resources.abc import Traversable

MOST = 120_000
"""Bytes as they are sent, compressed."""
LOADED = (".css", ".js")


def below(folder: Traversable) -> list[Traversable]:
    inside = [one for one in folder.iterdir() if not one.name.startswith("__")]
    deeper = [found for one in inside if one.is_dir() for found in below(one)]
    return [one for one in inside if one.name.endswith(LOADED)] + deeper


def test_all_scripts_and_styles_of_pages_together_are_light() -> None:
    found = {one.name: len(gzip.compress(one.read_bytes())) for one in below(files("serving_api"))}
    assert {"page.css", "chart.js", "uPlot.iife.min.js"} <= found.keys()
    assert sum(found.values()) <= MOST, found
