"""The supported platforms and their display names.

Their URLs are in `scrapers.urls`, their parsers in `scrapers/<platform>`, their settings in
`provider_settings`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal, get_args

TrackedPlatform = Literal["tiktok", "instagram"]

PLATFORMS: tuple[TrackedPlatform, ...] = get_args(TrackedPlatform)

PLATFORM_NAMES: Mapping[str, str] = {"tiktok": "TikTok", "instagram": "Instagram"}

PLATFORM_BEGAN: Mapping[str, datetime] = {
    "tiktok": datetime(2014, 8, 1, tzinfo=UTC),  # as musical.ly, whose accounts it took over
    "instagram": datetime(2010, 10, 6, tzinfo=UTC),
}
"""No account, post or reading of a platform is older."""
