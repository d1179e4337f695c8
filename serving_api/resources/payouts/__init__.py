"""Payout structures, accruals, payments and disputes."""
