"""Scripts and style sheets of the page. The chart library is uPlot; its licence lies beside it."""

from pathlib import Path

from serving_api.page_files import PageFiles

PATH = "/share/files"

_FOLDER = Path(__file__).with_name("static")
_SERVED = {".css", ".js"}

FILES = PageFiles(PATH, lambda: [path for path in _FOLDER.rglob("*") if path.suffix in _SERVED])
