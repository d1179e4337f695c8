"""Who we say we are to the platforms. One honest name, never a browser's."""

from importlib.metadata import version

USER_AGENT = f"creator-tracker/{version('creator-tracker')}"
"""The User-Agent of every request that scrapers and the short-link resolver send."""
