"""The page's style sheet."""

from pathlib import Path

from serving_api.page_files import PageFiles

PATH = "/share/files"

_FOLDER = Path(__file__).with_name("static")
FILES = PageFiles(PATH, lambda: [_FOLDER / "page.css"])
