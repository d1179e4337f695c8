"""The statements that attach the lake in any DuckDB."""

from urllib.parse import urlsplit

from warehouse.lake.catalog import CATALOG, address_for
from warehouse.operational.store import OperationalStore
from warehouse.publication.sql import quoted_text
from warehouse.settings import Settings


def lines_for(settings: Settings, store: OperationalStore, role: str | None) -> list[str]:
    """Return the statements to read the lake as a role of PostgreSQL, by default the service's own.

    They contain no password or key: PostgreSQL's client uses `~/.pgpass` or PGPASSWORD, and
    readers of a bucket fill in KEY and SECRET.
    """
    address = quoted_text(address_for(store, role))
    attach = f"attach {address} as lake (metadata_schema '{CATALOG}', read_only); use lake.marts;"
    if "://" in (settings.lake_path or ""):
        return [f"{bucket_secret(settings, 'KEY', 'SECRET')};", attach]
    return [attach]


def bucket_secret(settings: Settings, key_id: str, secret: str) -> str:
    """Return the statement that gives DuckDB access to the bucket."""
    words = {"key_id": key_id, "secret": secret, "region": settings.s3_region}
    if settings.s3_endpoint_url:
        parts = urlsplit(settings.s3_endpoint_url)
        words |= {"endpoint": parts.netloc + parts.path.rstrip("/"), "url_style": "path"}
    options = "".join(f", {name} {quoted_text(text)}" for name, text in words.items())
    use_ssl = not (settings.s3_endpoint_url or "").startswith("http:")
    return f"create secret (type s3{options}, use_ssl {str(use_ssl).lower()})"
