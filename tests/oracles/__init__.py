"""Slow, obvious calculations, independent of the code that they check."""
