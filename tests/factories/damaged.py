"""A publication that nobody can read."""

from warehouse.publication.layout import CURRENT
from warehouse.settings import Settings

NAME = "damaged.duckdb"


def publish_damaged(settings: Settings) -> None:
    """Let a shard's current publication be a file that is no database."""
    settings.publications_path.mkdir(parents=True, exist_ok=True)
    (settings.publications_path / NAME).write_bytes(b"not a database")
    current = settings.publications_path / CURRENT
    current.unlink(missing_ok=True)
    current.symlink_to(NAME)
