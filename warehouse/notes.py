"""The version of a Markdown text, wherever one is stored or noted."""

from hashlib import sha256

VERSION_LENGTH = 16


def readme_version(text: str | None) -> str:
    """Return the version of a text: a hash, so that equal texts have equal versions."""
    return sha256((text or "").encode()).hexdigest()[:VERSION_LENGTH]
