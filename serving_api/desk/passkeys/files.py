"""The script of pages that ask a browser for a passkey."""

from pathlib import Path

from serving_api.desk.cookies import PATH
from serving_api.page_files import PageFiles

FILES_PATH = f"{PATH}/files"
SCRIPT = "passkeys.js"

FILES = PageFiles(FILES_PATH, lambda: [Path(__file__).with_name("static") / SCRIPT])
