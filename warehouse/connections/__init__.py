"""Accounts that creators connected: active, ended or broken consents, and their tokens.

Requests to platforms are not made here; callers pass in how.
"""
