"""Accounts that creators have connected: which consents are in force, over or broken, whose tokens.

What platforms are asked with them is not known here: whoever asks hands in how.
"""
