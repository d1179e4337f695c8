"""The lines by which any DuckDB attaches the lake."""

from warehouse.lake.bucket import bucket_secret
from warehouse.lake.catalog import CATALOG, address_for
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import quoted_text
from warehouse.settings import Settings


def lines_for(settings: Settings, store: OperationalStore, role: str | None) -> list[str]:
    """Return the lines for a role of PostgreSQL, or else the service's own, to read the lake.

    There is no password and no key in them: PostgreSQL's program takes the one of `~/.pgpass` or
    PGPASSWORD, and KEY and SECRET are for whoever reads the bucket to fill in.
    """
    address = quoted_text(address_for(store, role))
    attach = f"attach {address} as lake (metadata_schema '{CATALOG}', read_only); use lake.marts;"
    if "://" in (settings.lake_path or ""):
        return [f"{bucket_secret(settings, 'KEY', 'SECRET')};", attach]
    return [attach]
