"""The shards whose newest publications this node could not fetch, with errors, in a small file.

The thread that follows publications writes it, and any process that answers `/readyz` reads it.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from warehouse.settings import Settings


def write_not_fetched(settings: Settings, errors: Mapping[str, str]) -> None:
    """Replace the stored errors by these."""
    path = _path(settings)
    if not errors:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_suffix(".new")
    written.write_text(json.dumps(errors), "utf-8")
    written.replace(path)


def read_not_fetched(settings: Settings) -> dict[str, str]:
    """Return the errors by shard, empty if all were fetched."""
    try:
        errors: dict[str, str] = json.loads(_path(settings).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return errors


def _path(settings: Settings) -> Path:
    return settings.home_path / "publications_not_taken.json"
