"""The platforms whose posts are tracked, and what people call them.

What is known of each of them lies elsewhere: its addresses in `scrapers.urls`, how it is read in
`scrapers/<platform>`, its settings in `provider_settings`.
"""

from collections.abc import Mapping
from typing import Literal, get_args

TrackedPlatform = Literal["tiktok", "instagram"]

PLATFORMS: tuple[TrackedPlatform, ...] = get_args(TrackedPlatform)

PLATFORM_NAMES: Mapping[str, str] = {"tiktok": "TikTok", "instagram": "Instagram"}
