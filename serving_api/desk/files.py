"""Scripts of desk pages."""

from pathlib import Path

from serving_api.desk.sessions import PATH
from serving_api.page_files import PageFiles

FILES_PATH = f"{PATH}/files"
PASSKEYS_SCRIPT = "passkeys.js"
SCRIPT = "desk.js"
"""Loaded by every project page."""

FILES = PageFiles(FILES_PATH, lambda: Path(__file__).parent.glob("static/*"))
