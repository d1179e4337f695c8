"""Idempotent writes: requests with the same Idempotency-Key have the same outcome, once."""
