"""Tracking: creators, their accounts and videos."""
