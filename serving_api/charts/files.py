"""Static files: the script that draws charts, and the uPlot library."""

from pathlib import Path

from serving_api.page_files import PageFiles

PATH = "/charts"

FILES = PageFiles(PATH, lambda: Path(__file__).with_name("static").rglob("*.js"))
