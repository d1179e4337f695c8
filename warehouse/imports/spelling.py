"""The interface for spellings of handles and posts.

The warehouse knows no platform, so the caller passes it in.
"""

from typing import Protocol


class Spelling(Protocol):
    """Converts texts of files to the registry's spelling."""

    def handle(self, platform: str, text: str) -> str:
        """Return the handle in lower case. Raises ValueError if it is invalid."""
        ...

    def post_id(self, platform: str, text: str) -> str:
        """Return the platform_video_id (digits). Raises ValueError if the text names no post."""
        ...

    def post_url(self, platform: str, platform_video_id: str, handle: str) -> str: ...
