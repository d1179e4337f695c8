"""Payout payments: what creators were paid, and which accruals each payment froze."""
