"""Payout accounts: where a creator's money goes."""
