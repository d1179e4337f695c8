"""Creators' consent: how each platform lets somebody connect an account of their own, by OAuth.

Tokens are got, renewed and given back here; what is read with them is the providers' business.
"""
