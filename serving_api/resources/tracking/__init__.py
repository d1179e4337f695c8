"""Whose posts are looked at: creators, their accounts and videos."""
