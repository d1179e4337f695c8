"""Disputes: an amount that a creator or a member says is wrong, and what came of it."""
