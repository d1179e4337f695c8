"""Campaigns: groupings of creators, videos and sub-campaigns."""
