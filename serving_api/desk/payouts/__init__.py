"""Payouts: amounts, their evidence, approval and payment."""
