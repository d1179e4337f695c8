"""Creators' consent: how each platform lets creators connect an account of theirs, by OAuth.

Gets, renews and revokes tokens; the providers use them.
"""
