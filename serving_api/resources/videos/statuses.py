"""Tracking statuses (contract, Video) and which of them count (decisions.md, 'Counted')."""

from typing import Literal

TrackingStatus = Literal["auto_tracked", "pending_review", "included", "excluded", "direct_add"]

COUNTED: tuple[TrackingStatus, ...] = ("auto_tracked", "included", "direct_add")
"""In totals, payouts and goals."""
