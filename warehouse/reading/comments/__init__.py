"""Typed reads of what viewers wrote: comments, what they say in sum, and whom to look at."""
