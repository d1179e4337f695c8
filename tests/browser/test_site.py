"""The documentation site in a browser: it asks no other host, and its controls have names."""

import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser as Chromium

from tests.fixtures.browser import PHONE, visit
from warehouse.settings import REPOSITORY

pytestmark = pytest.mark.slow

NAMES = {
    "runOnly": ["button-name", "link-name", "aria-command-name", "label", "nested-interactive"]
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_the_site_asks_no_other_host_and_names_its_controls(
    chromium: Chromium, tmp_path: Path
) -> None:
    command = [sys.executable, REPOSITORY / "docs" / "site" / "build.py", tmp_path]
    subprocess.run(command, check=True, capture_output=True)
    handler = partial(Quiet, directory=tmp_path / "site")
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        chromium.new_context(viewport=PHONE) as context,
    ):
        Thread(target=server.serve_forever).start()
        try:
            reader = visit(context)
            for page in ("index.html", "docs/concepts.html", "docs/clients.html"):
                url = f"http://127.0.0.1:{server.server_port}/{page}"
                reader.page.goto(url, wait_until="networkidle")
                faults = Axe().run(reader.page, options=NAMES).response["violations"]
                assert [node["html"] for fault in faults for node in fault["nodes"]] == []
            assert reader.hosts() <= {"127.0.0.1", None}
        finally:
            server.shutdown()
