"""The supported platforms and their display names.

Their URLs are in `scrapers.urls`, their parsers in `scrapers/<platform>`, their settings in
`provider_settings`.
"""

from collections.abc import Mapping
from typing import Literal, get_args

TrackedPlatform = Literal["tiktok", "instagram"]

PLATFORMS: tuple[TrackedPlatform, ...] = get_args(TrackedPlatform)

PLATFORM_NAMES: Mapping[str, str] = {"tiktok": "TikTok", "instagram": "Instagram"}
