"""The version of Markdown notes."""

from hashlib import sha256

VERSION_LENGTH = 16


def readme_version(text: str | None) -> str:
    """Return a hash of the text, so that equal texts have equal versions."""
    return sha256((text or "").encode()).hexdigest()[:VERSION_LENGTH]
