"""Payout balances: what creators are owed by now, and what they were paid."""
