"""Disputes: a creator or member objects to an amount until it is corrected or rejected."""
