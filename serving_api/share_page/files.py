"""Scripts and style sheets of the page. The chart library is uPlot; its licence lies beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from serving_api.errors import NotFound

PATH = "/share/files"

_FOLDER = Path(__file__).with_name("static")
_MEDIA = {".css": "text/css", ".js": "text/javascript"}


@dataclass(frozen=True, slots=True)
class File:
    """A file, and the address that changes whenever it does."""

    content: bytes
    media_type: str
    address: str


@cache
def files() -> Mapping[str, File]:
    """Return the files by name, read once."""
    found = [path for path in _FOLDER.rglob("*") if path.suffix in _MEDIA]
    return {path.name: _file(path) for path in found}


def find(name: str) -> File:
    """Return a file. Raises NotFound."""
    if name not in files():
        raise NotFound.named("File")
    return files()[name]


def address_of(name: str) -> str:
    """Return where a page finds a file."""
    return files()[name].address


def _file(path: Path) -> File:
    content = path.read_bytes()
    version = sha256(content).hexdigest()[:12]
    return File(content, _MEDIA[path.suffix], f"{PATH}/{path.name}?{version}")
