"""How we identify ourselves to platforms: one honest name, never a browser's."""

from importlib.metadata import version

USER_AGENT = f"creator-tracker/{version('creator-tracker')}"
"""The User-Agent of every request of scrapers and the short-link resolver."""
