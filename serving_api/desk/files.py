"""The scripts of pages."""

from pathlib import Path

from serving_api.desk.cookies import PATH
from serving_api.page_files import PageFiles

FILES_PATH = f"{PATH}/files"
PASSKEYS_SCRIPT = "passkeys.js"
SCRIPT = "desk.js"
"""What every page of a project loads."""

FILES = PageFiles(FILES_PATH, lambda: Path(__file__).parent.glob("static/*"))
