"""How platforms spell handles and posts, as this package needs to know it.

The warehouse knows no platform: whoever imports passes this in.
"""

from typing import Protocol


class Spelling(Protocol):
    """Brings what files say into the registry's spelling."""

    def handle(self, platform: str, text: str) -> str:
        """Return the handle in lower case. Raises ValueError where it is none."""
        ...

    def post_id(self, platform: str, text: str) -> str:
        """Return the platform_video_id (digits). Raises ValueError where the text names no post."""
        ...

    def post_url(self, platform: str, platform_video_id: str, handle: str) -> str:
        """Return the canonical URL of a post."""
        ...
