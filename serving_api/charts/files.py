"""Static files: the script that draws charts, and the uPlot library."""

from pathlib import Path

from serving_api.page_files import PageFiles

PATH = "/charts"

_FOLDER = Path(__file__).with_name("static")
_SERVED = {".css", ".js"}

FILES = PageFiles(PATH, lambda: [path for path in _FOLDER.rglob("*") if path.suffix in _SERVED])
