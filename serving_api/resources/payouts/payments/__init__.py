"""Payout payments: what creators were paid, and the accruals each payment froze."""
