"""Creators: people and brands that own accounts."""
