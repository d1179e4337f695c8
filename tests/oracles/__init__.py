"""Slow, simple calculations, independent of the code that they check."""
