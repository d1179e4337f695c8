"""Build the documentation site: `python docs/site/build.py FOLDER`, which `make docs` calls.

Pages are staged under their paths in the repository, so that links work in both. Zensical builds
them in strict mode: a broken link is an error.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("zensical.toml")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def stage(source: Path) -> None:
    """Copy the pages of the navigation and the files they link to into `source`."""
    _copy_asset(Path(__file__).with_name("names.js"), source)
    for page in re.findall(r'"([\w./-]+\.md)"', CONFIG.read_text("utf-8")):
        target = source / page
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (REPOSITORY / page).read_text("utf-8")
        target.write_text(text, "utf-8")
        for linked in _LINK.findall(text):
            _copy_asset((REPOSITORY / page).parent / linked, source)


def _copy_asset(file: Path, source: Path) -> None:
    """Copy a linked picture or script. A link to a folder has no page and is skipped."""
    target = source / file.resolve().relative_to(REPOSITORY)
    if file.is_file() and file.suffix != ".md":
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def build(folder: Path) -> int:
    """Build the site in `folder`/site. Returns Zensical's exit code."""
    for name in ("source", "site"):
        shutil.rmtree(folder / name, ignore_errors=True)
    stage(folder / "source")
    shutil.copyfile(CONFIG, folder / CONFIG.name)
    zensical = Path(sys.executable).with_name("zensical")
    return subprocess.run([zensical, "build", "--strict"], cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve()))
