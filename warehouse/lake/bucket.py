"""DuckDB's secret for the bucket of the TRACKER_S3_ settings."""

from urllib.parse import urlsplit

from warehouse.publication.sql import quoted_text
from warehouse.settings import Settings


def bucket_secret(settings: Settings, key_id: str, secret: str) -> str:
    """Return the statement that gives DuckDB access to the bucket."""
    words = {"key_id": key_id, "secret": secret, "region": settings.s3_region}
    if settings.s3_endpoint_url:
        parts = urlsplit(settings.s3_endpoint_url)
        words |= {"endpoint": parts.netloc + parts.path.rstrip("/"), "url_style": "path"}
    options = "".join(f", {name} {quoted_text(text)}" for name, text in words.items())
    use_ssl = not (settings.s3_endpoint_url or "").startswith("http:")
    return f"create secret (type s3{options}, use_ssl {str(use_ssl).lower()})"
