"""Writes that can be sent again: the same Idempotency-Key, the same outcome, once."""
