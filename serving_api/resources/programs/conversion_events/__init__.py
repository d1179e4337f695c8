"""Conversion events: the kinds of outcomes that a project records."""
