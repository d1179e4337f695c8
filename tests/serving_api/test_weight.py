"""Pages load few bytes in a browser."""

import gzip
import re
from html import unescape
from importlib.resources import files
from importlib.resources.abc import Traversable

from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter

MOST = 120_000
"""Compressed bytes."""
MOST_OF_A_PAGE = 32_000
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


def test_styles_and_scripts_of_a_page_with_charts_are_light(tenant: Tenant) -> None:
    admin = Sitter(tenant)
    page = admin.get(admin.home).text
    [style] = re.findall(r"<style>(.+?)</style>", page, re.DOTALL)
    loaded = re.findall(r'<(?:script|link)[^>]+(?:src|href)="(/[^"]+)"', page)
    assert len(loaded) == 3, loaded  # the desk's script, the chart's and its library
    sheets_and_scripts = [style, *(admin.get(unescape(path)).text for path in loaded)]
    sizes = [len(gzip.compress(text.encode())) for text in sheets_and_scripts]
    assert sum(sizes) <= MOST_OF_A_PAGE, sizes
