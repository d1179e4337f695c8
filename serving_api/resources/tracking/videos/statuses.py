"""Tracking statuses (contract, Video). Which of them count is `warehouse`'s to say."""

from typing import Literal

TrackingStatus = Literal["auto_tracked", "pending_review", "included", "excluded", "direct_add"]
