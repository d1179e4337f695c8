"""Campaigns: groups of creators, videos and sub-campaigns."""
